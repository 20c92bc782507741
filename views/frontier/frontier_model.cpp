#include "views/frontier/frontier_model.h"

#include <fmt/format.h>

#include <QCoreApplication>
#include <algorithm>
#include <map>
#include <set>

#include "views/common/format.h"

namespace kurve::views {

using frontier::SweepPoint;

namespace {

QString tr(const char* text) {
    return QCoreApplication::translate("frontier", text);
}

constexpr const char* kBetweenDraws = "one-minus-self-bleu";

using Estimates = std::map<std::string, frontier::Estimate>;

QStringList idsOf(const std::vector<RunPoints>& runs, Estimates SweepPoint::*side) {
    std::map<std::string, int> counts;
    for (const auto& run : runs)
        for (const auto& point : run.points)
            for (const auto& [id, estimate] : point.*side) ++counts[id];
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [id, count] : counts) order.emplace_back(-count, id);
    std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) {
        const bool first = a.second == kBetweenDraws, second = b.second == kBetweenDraws;
        return a.first != b.first ? a.first < b.first : first && !second;
    });
    QStringList ids;
    for (const auto& [count, id] : order) ids << QString::fromStdString(id);
    return ids;
}

std::optional<frontier::Ellipse> ellipseOf(const frontier::Estimate& x, const frontier::Estimate& y) {
    return frontier::seedEllipse(x.bySeed, y.bySeed);
}

/// What must be equal for two points to be compared.
std::string alikeKey(const SweepPoint& point) {
    return fmt::format("{}/{}/{}", point.reference, point.sentences, point.seeds.size());
}

void add(FrontCurve& curve, const SweepPoint& point, const std::string& quality,
         const std::string& diversity) {
    const auto& x = point.diversity.at(diversity);
    const auto& y = point.quality.at(quality);
    const auto half = [](const frontier::Estimate& e) { return (e.high - e.low) / 2; };
    curve.points.push_back(&point);
    curve.dots.push_back({x.value, y.value, half(x), half(y)});
    curve.ellipses.push_back(ellipseOf(x, y));
}

/// The points with both metrics, and of these the largest group that was measured alike.
std::set<const SweepPoint*> comparable(const std::vector<RunPoints>& runs, const std::string& quality,
                                       const std::string& diversity, int& leftOut) {
    std::map<std::string, std::set<const SweepPoint*>> groups;
    for (const auto& run : runs)
        for (const auto& point : run.points)
            if (point.quality.count(quality) > 0 && point.diversity.count(diversity) > 0)
                groups[alikeKey(point)].insert(&point);
    std::set<const SweepPoint*> largest;
    leftOut = 0;
    for (const auto& [key, group] : groups) {
        leftOut += static_cast<int>(group.size());
        if (group.size() > largest.size()) largest = group;
    }
    leftOut -= static_cast<int>(largest.size());
    return largest;
}

/// One curve per checkpoint, oldest first.
std::vector<FrontCurve> curvesOf(const RunPoints& run, const std::set<const SweepPoint*>& shown,
                                 const std::string& quality, const std::string& diversity) {
    std::map<std::pair<std::int64_t, std::string>, FrontCurve> byCheckpoint;
    for (const auto& point : run.points)
        if (shown.count(&point) > 0)
            add(byCheckpoint[{point.step, point.checkpointSha256}], point, quality, diversity);
    std::vector<FrontCurve> curves;
    for (auto& [key, curve] : byCheckpoint) {
        curve.runId = run.id;
        curve.title = byCheckpoint.size() == 1
                          ? run.name
                          : QStringLiteral("%1 @ %2").arg(run.name, countText(key.first));
        curve.front = frontier::paretoFront(curve.dots);
        curves.push_back(std::move(curve));
    }
    return curves;
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

QString commonText(const Values& here, const Values& anywhere) {
    if (here.texts.isEmpty() || here.texts.size() == anywhere.texts.size()) return {};
    if (here.texts.size() == 1) return here.texts.front();
    if (!here.numbers) return here.texts.join(tr(" or "));
    const bool fromLeast = here.texts.front() == anywhere.texts.front();
    const bool toMost = here.texts.back() == anywhere.texts.back();
    if (fromLeast && toMost) return {};
    if (toMost) return QStringLiteral("≥ ") + here.texts.front();
    if (fromLeast) return QStringLiteral("≤ ") + here.texts.back();
    return tr("%1 to %2").arg(here.texts.front(), here.texts.back());
}

}  // namespace

QStringList qualitiesOf(const std::vector<RunPoints>& runs) {
    return idsOf(runs, &SweepPoint::quality);
}
QStringList diversitiesOf(const std::vector<RunPoints>& runs) {
    return idsOf(runs, &SweepPoint::diversity);
}

Plane planeOf(const std::vector<RunPoints>& runs, const QString& quality, const QString& diversity) {
    Plane plane{quality, diversity, {}, std::nullopt, 0, 0, 0};
    const std::string y = quality.toStdString(), x = diversity.toStdString();
    const auto shown = comparable(runs, y, x, plane.leftOut);
    std::set<double> references;
    plane.cornerX = plane.cornerY = INFINITY;
    for (const auto* point : shown) {
        const auto found = point->referenceDiversity.find(x);
        if (found != point->referenceDiversity.end()) references.insert(found->second);
        plane.cornerX = std::min(plane.cornerX, point->diversity.at(x).value);
        plane.cornerY = std::min(plane.cornerY, point->quality.at(y).value);
    }
    if (references.size() == 1) plane.referenceDiversity = *references.begin();
    for (const auto& run : runs)
        for (auto& curve : curvesOf(run, shown, y, x)) {
            curve.hypervolume = frontier::hypervolume(curve.dots, plane.cornerX, plane.cornerY);
            if (plane.referenceDiversity &&
                !curve.front.empty())  // the front falls: its first dot is the best
                curve.fromReference = curve.dots[curve.front.front()].x - *plane.referenceDiversity;
            plane.curves.push_back(std::move(curve));
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
            return point->settings.count(key) > 0;
        });
        if (!everywhere) continue;
        const Values here = valuesOf(chosen, key), anywhere = valuesOf(all, key);
        const QString text = commonText(here, anywhere);
        if (!text.isEmpty()) texts << settingName(key) + QLatin1Char(' ') + text;
    }
    return texts;
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
