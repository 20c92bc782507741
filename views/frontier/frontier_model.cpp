#include "views/frontier/frontier_model.h"

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

using Estimates = std::map<std::string, frontier::Estimate>;

QStringList idsOf(const std::vector<RunPoints>& runs, Estimates SweepPoint::*side) {
    std::map<std::string, int> counts;
    for (const auto& run : runs)
        for (const auto& point : run.points)
            for (const auto& [id, estimate] : point.*side) ++counts[id];
    std::vector<std::pair<int, std::string>> order;
    for (const auto& [id, count] : counts) order.emplace_back(-count, id);
    std::sort(order.begin(), order.end());
    QStringList ids;
    for (const auto& [count, id] : order) ids << QString::fromStdString(id);
    return ids;
}

std::optional<frontier::Ellipse> ellipseOf(const frontier::Estimate& x, const frontier::Estimate& y) {
    return frontier::seedEllipse(x.bySeed, y.bySeed);
}

void add(FrontCurve& curve, const SweepPoint& point, const std::string& quality,
         const std::string& diversity) {
    const auto x = point.diversity.find(diversity);
    const auto y = point.quality.find(quality);
    if (x == point.diversity.end() || y == point.quality.end()) return;
    const auto half = [](const frontier::Estimate& e) { return (e.high - e.low) / 2; };
    curve.points.push_back(&point);
    curve.dots.push_back({x->second.value, y->second.value, half(x->second), half(y->second)});
    curve.ellipses.push_back(ellipseOf(x->second, y->second));
}

/// One curve per checkpoint, oldest first.
std::vector<FrontCurve> curvesOf(const RunPoints& run, const std::string& quality,
                                 const std::string& diversity) {
    std::map<std::pair<std::int64_t, std::string>, FrontCurve> byCheckpoint;
    for (const auto& point : run.points)
        add(byCheckpoint[{point.step, point.checkpointSha256}], point, quality, diversity);
    std::erase_if(byCheckpoint, [](const auto& entry) { return entry.second.points.empty(); });
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
    Plane plane{quality, diversity, {}, std::nullopt, {}};
    std::vector<SweepPoint> shown;
    std::set<double> references;
    double x0 = INFINITY, y0 = INFINITY;
    for (const auto& run : runs)
        for (auto& curve : curvesOf(run, quality.toStdString(), diversity.toStdString())) {
            for (const auto* point : curve.points) {
                SweepPoint facts;  // what caveats() looks at, without the texts
                facts.sentences = point->sentences;
                facts.seeds = point->seeds;
                facts.reference = point->reference;
                shown.push_back(std::move(facts));
                const auto found = point->referenceDiversity.find(diversity.toStdString());
                if (found != point->referenceDiversity.end()) references.insert(found->second);
            }
            for (const auto& dot : curve.dots) {
                x0 = std::min(x0, dot.x);
                y0 = std::min(y0, dot.y);
            }
            plane.curves.push_back(std::move(curve));
        }
    for (auto& curve : plane.curves) curve.hypervolume = frontier::hypervolume(curve.dots, x0, y0);
    if (references.size() == 1) plane.referenceDiversity = *references.begin();
    for (const auto& text : frontier::caveats(shown)) plane.caveats << QString::fromStdString(text);
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
