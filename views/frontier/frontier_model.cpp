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

}  // namespace

QStringList qualitiesOf(const std::vector<RunPoints>& runs) {
    return idsOf(runs, &SweepPoint::quality);
}
QStringList diversitiesOf(const std::vector<RunPoints>& runs) {
    return idsOf(runs, &SweepPoint::diversity);
}

Plane planeOf(const std::vector<RunPoints>& runs, const QString& quality, const QString& diversity) {
    Plane plane{quality, diversity, {}, std::nullopt, 0};
    const std::string y = quality.toStdString(), x = diversity.toStdString();
    const auto shown = comparable(runs, y, x, plane.leftOut);
    std::set<double> references;
    double x0 = INFINITY, y0 = INFINITY;
    for (const auto* point : shown) {
        const auto found = point->referenceDiversity.find(x);
        if (found != point->referenceDiversity.end()) references.insert(found->second);
        x0 = std::min(x0, point->diversity.at(x).value);
        y0 = std::min(y0, point->quality.at(y).value);
    }
    for (const auto& run : runs)
        for (auto& curve : curvesOf(run, shown, y, x)) {
            curve.hypervolume = frontier::hypervolume(curve.dots, x0, y0);
            plane.curves.push_back(std::move(curve));
        }
    if (references.size() == 1) plane.referenceDiversity = *references.begin();
    return plane;
}

QString settingsText(const SweepPoint& point) {
    if (point.settings.empty()) return tr("the run's own settings");
    QStringList parts;
    for (const auto& [key, value] : point.settings) {
        QString name = QString::fromStdString(key.substr(key.find('.') + 1));
        parts << name.replace(QLatin1Char('_'), QLatin1Char(' ')) + QLatin1Char(' ') +
                     QString::fromStdString(value);
    }
    return parts.join(QStringLiteral(", "));
}

}  // namespace kurve::views
