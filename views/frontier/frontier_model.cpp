#include "views/frontier/frontier_model.h"

#include <QCoreApplication>
#include <algorithm>
#include <set>

#include "views/common/services/prompt_request.h"
#include "views/common/text/format.h"

namespace kurve::views {

using frontier::SweepPoint;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("frontier", text);
}

std::vector<frontier::PlaneRun> planeRuns(const std::vector<RunPoints>& runs) {
    std::vector<frontier::PlaneRun> list;
    for (const auto& run : runs) list.push_back({run.id.toStdString(), run.name.toStdString(), run.points});
    return list;
}

QStringList texts(const std::vector<std::string>& ids) {
    QStringList list;
    for (const auto& id : ids) list << QString::fromStdString(id);
    return list;
}

QString settingName(const std::string& key) {
    QString name = QString::fromStdString(key.substr(key.find('.') + 1));
    return name.replace(QLatin1Char('_'), QLatin1Char(' '));
}

/// The different values of a setting, in the order of their numbers where all are numbers.
struct Values {
    QStringList texts;
    bool numbers = true;
};
Values valuesOf(const std::vector<const SweepPoint*>& points, const std::string& key) {
    Values values;
    for (const auto* point : points) {
        const auto found = point->settings.find(key);
        if (found == point->settings.end()) continue;
        const QString text = QString::fromStdString(found->second);
        if (values.texts.contains(text)) continue;
        values.texts << text;
        bool number = false;
        (void)text.toDouble(&number);
        values.numbers = values.numbers && number;
    }
    std::sort(values.texts.begin(), values.texts.end(), [&](const QString& a, const QString& b) {
        return values.numbers ? a.toDouble() < b.toDouble() : a < b;
    });
    return values;
}

QString commonText(const Values& chosen, const Values& all) {
    if (chosen.texts.isEmpty() || chosen.texts.size() == all.texts.size()) return {};
    if (chosen.texts.size() == 1) return chosen.texts.front();
    if (!chosen.numbers) return chosen.texts.join(tr(" or "));
    const bool fromLeast = chosen.texts.front() == all.texts.front();
    const bool toMost = chosen.texts.back() == all.texts.back();
    if (fromLeast && toMost) return {};
    if (toMost) return QStringLiteral("≥ ") + chosen.texts.front();
    if (fromLeast) return QStringLiteral("≤ ") + chosen.texts.back();
    return tr("%1 to %2").arg(chosen.texts.front(), chosen.texts.back());
}

}  // namespace

QStringList qualitiesOf(const std::vector<RunPoints>& runs) {
    return texts(frontier::qualitiesOf(planeRuns(runs)));
}
QStringList diversitiesOf(const std::vector<RunPoints>& runs) {
    return texts(frontier::diversitiesOf(planeRuns(runs)));
}

Plane planeOf(const std::vector<RunPoints>& runs, const QString& quality, const QString& diversity) {
    auto made = frontier::frontPlane(planeRuns(runs), quality.toStdString(), diversity.toStdString());
    Plane plane{quality,
                diversity,
                {},
                made.direction,
                made.referenceDiversity,
                made.referenceQuality,
                made.leftOut,
                made.cornerX,
                made.cornerY};
    for (auto& curve : made.curves) {
        const RunPoints& run = runs[curve.run];
        const QString weights =
            requestedCheckpoint(qt(curve.points.front()->checkpoint), countText(curve.step));
        const QString title = curve.alone ? run.name : QStringLiteral("%1 @ %2").arg(run.name, weights);
        plane.curves.push_back({std::move(curve), run.id, title});
    }
    return plane;
}

QStringList commonSettings(const std::vector<const SweepPoint*>& chosen,
                           const std::vector<const SweepPoint*>& all) {
    std::set<std::string> keys;
    for (const auto* point : chosen)
        for (const auto& [key, value] : point->settings) keys.insert(key);
    QStringList texts;
    for (const std::string& key : keys) {
        const bool everywhere = std::all_of(chosen.begin(), chosen.end(), [&](const SweepPoint* point) {
            return point->settings.contains(key);
        });
        if (!everywhere) continue;
        const QString text = commonText(valuesOf(chosen, key), valuesOf(all, key));
        if (!text.isEmpty()) texts << settingName(key) + QLatin1Char(' ') + text;
    }
    return texts;
}

bool isPerplexity(const Plane& plane) {
    return plane.quality == QLatin1String(metrics::kGenPerplexity);
}

QString settingsText(const SweepPoint& point) {
    if (point.settings.empty()) return tr("the run's own settings");
    QStringList parts;
    for (const auto& [key, value] : point.settings) {
        parts << settingName(key) + QLatin1Char(' ') + QString::fromStdString(value);
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace kurve::views
