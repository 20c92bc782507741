#include "views/monitor/run_curves.h"

#include <algorithm>

#include "views/common/data/run_catalog.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr std::size_t kDense = 60;  // points from which an average over them helps

/// Metrics that are logged at every log step and so are worth smoothing; evaluations are few and drawn with
/// markers.
bool isDense(const std::string& metric) {
    return metric.rfind("valid_", 0) != 0 && metric != "lr";
}

}  // namespace

QString RunCurves::curveOf(const QString& run, const std::string& metric) {
    return run + QLatin1Char('|') + qt(metric);
}

QString RunCurves::runOf(const QString& curve) {
    return curve.section(QLatin1Char('|'), 0, 0);
}

void RunCurves::setRuns(const QStringList& runs) {
    runs_ = runs;
    parents_.follow(runs);
    keys_.keepOnly(runs);
}

CurveSpec RunCurves::specOf(const MonitorChart& chart, std::size_t metric, const RunData& data) const {
    const std::string& name = chart.metrics[metric];
    const auto series = data.find(name);
    // Another program's names do not tell, the number of its points does.
    const bool evaluation =
        isImported(data) ? series && series->size() < kDense : name.rfind("valid_", 0) == 0;
    CurveSpec spec;
    spec.style = areAlone() ? RunStyle{categoryColor(static_cast<int>(metric)), Qt::SolidLine, 0}
                            : runStyle(qt(data.summary.id));
    if (!areAlone())
        spec.label = metric == 0 ? qt(data.summary.name) : QString();
    else if (chart.metrics.size() == 1)
        spec.label = MonitorCharts::tr("last");
    else if (chart.imported && (chart.metrics.size() > 2 || chart.metrics[1] != "valid_" + chart.metrics[0]))
        spec.label = context_.engine->metric(name).title;
    else
        spec.label = name == "valid_nelbo" ? MonitorCharts::tr("bound")
                     : evaluation          ? MonitorCharts::tr("valid")
                                           : MonitorCharts::tr("train");
    spec.smooth = isDense(name) && !evaluation;
    spec.markers = evaluation;
    return spec;
}

OwnCharts RunCurves::ownCharts(const QStringList& shown) const {
    OwnCharts charts;
    const auto add = [&](const std::string& chart, const std::string& metric) {
        auto& metrics = charts[chart];
        if (std::ranges::find(metrics, metric) == metrics.end()) metrics.push_back(metric);
    };
    for (const QString& run : shown) {
        const auto data = context_.catalog->data(run);
        if (!data) continue;
        const auto addWithTwin = [&](const std::string& metric) {
            for (const std::string& each : {metric, "valid_" + metric})
                if (data->find(each)) add(metric, each);
        };
        if (isImported(*data))
            for (const auto& [name, series] : data->series) addWithTwin(name);
        else if (const auto schema = context_.engine->family(data->summary.family))
            for (const ScalarSpec& scalar : schema->scalars)
                if (!scalar.chart.empty() && data->find(scalar.id)) {
                    addWithTwin(scalar.chart);
                    add(scalar.chart, scalar.id);
                }
    }
    return charts;
}

void RunCurves::draw(const MonitorChart& chart, const QStringList& shown, bool earlierAttempts) {
    QStringList drawn;
    for (const QString& run : shown) {
        const auto data = context_.catalog->data(run);
        if (!data) continue;
        if (earlierAttempts) drawn << addAttempts(chart, *data);
        drawn << addParent(chart, *data);
        for (std::size_t i = 0; i < chart.metrics.size(); ++i) {
            const auto series = data->find(chart.metrics[i]);
            const GrowingList<double>& x = keys_.of(data, chart.metrics[i]);
            if (!series || x.empty() || x.size() != series->size()) continue;
            drawn << curveOf(run, chart.metrics[i]);
            chart.chart->setCurve(drawn.last(), specOf(chart, i, *data), {x, series->value});
        }
    }
    chart.chart->keepOnly(drawn);
}

QStringList RunCurves::addAttempts(const MonitorChart& chart, const RunData& data) {
    const QString run = qt(data.summary.id);
    const std::string& metric = chart.metrics.front();
    const auto found = data.shadowed.find(metric);
    QStringList ids;
    if (found == data.shadowed.end()) return ids;
    const RunStyle style = areAlone() ? RunStyle{categoryColor(0), Qt::SolidLine, 0} : runStyle(run);
    for (const store::Series& attempt : found->second) {
        const std::vector<double> x = keys_.axis().of(data, attempt);
        if (x.empty()) continue;
        ids << curveOf(run, metric) + QStringLiteral("|attempt") + QString::number(ids.size());
        chart.chart->setCurve(ids.last(), dimmedCurve(style, Qt::DotLine), x, attempt.value);
    }
    return ids;
}

/// None if the parent's points cannot be laid along the axis.
QStringList RunCurves::addParent(const MonitorChart& chart, const RunData& data) {
    const QString run = qt(data.summary.id), parent = parents_.parentOf(run);
    const auto before = context_.catalog->data(parent);
    if (!before) return {};
    const auto points = parentCurve(data, *before, chart.metrics.front(), keys_.axis());
    if (points.x.empty()) return {};
    const QString id = curveOf(run, chart.metrics.front()) + QStringLiteral("|parent");
    chart.chart->setCurve(id, dimmedCurve(runStyle(parent), Qt::SolidLine), points.x, points.y);
    return {id};
}

}  // namespace kurve::views
