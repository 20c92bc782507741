#include "views/compare/metric_value.h"

#include <algorithm>
#include <set>

#include "views/common/data/run_ranking.h"

namespace kurve::views {

namespace {

const store::Extremes* extremesOf(const ComparedRun& run, const std::string& metric) {
    const auto known = run.data ? run.data->summary.extremes : nullptr;
    return known ? known->find(metric) : nullptr;
}

MetricValue valueOf(const std::string& metric, MetricValue::Kind kind, const EngineInfo::MetricText& text) {
    MetricValue value{metric, kind, text.title, text.doc, text.ranked, text.higherIsBetter};
    if (!text.unit.isEmpty()) value.title = QStringLiteral("%1 / %2").arg(text.title, text.unit);
    if (kind == MetricValue::Kind::Last) return value;
    const char* which = value.ranked ? "best" : kind == MetricValue::Kind::Lowest ? "lowest" : "highest";
    value.title = QStringLiteral("%1 %2").arg(QLatin1String(which), value.title);
    return value;
}

}  // namespace

QString MetricValue::id() const {
    const char* which = kind == Kind::Last ? "last:" : kind == Kind::Lowest ? "low:" : "high:";
    return QLatin1String(which) + QString::fromStdString(metric);
}

std::optional<double> MetricValue::of(const ComparedRun& run) const {
    if (kind == Kind::Last) return lastValue(run, metric);
    const auto* extremes = extremesOf(run, metric);
    if (!extremes) return {};
    return kind == Kind::Lowest ? extremes->low : extremes->high;
}

std::optional<std::int64_t> MetricValue::stepOf(const ComparedRun& run) const {
    const auto* extremes = kind == Kind::Last ? nullptr : extremesOf(run, metric);
    if (!extremes) return {};
    return kind == Kind::Lowest ? extremes->lowStep : extremes->highStep;
}

std::vector<MetricValue> metricValues(const std::vector<ComparedRun>& runs, const EngineInfo& engine,
                                      ValueChoice choice) {
    using Kind = MetricValue::Kind;
    std::vector<MetricValue> values;
    for (const std::string& metric : metricsOf(runs)) {
        const auto text = engine.metric(metric);
        const bool isCurve = std::ranges::any_of(
            runs, [&](const ComparedRun& run) { return extremesOf(run, metric) != nullptr; });
        if (choice != ValueChoice::Best || !isCurve) values.push_back(valueOf(metric, Kind::Last, text));
        if (choice == ValueChoice::Last || !isCurve) continue;
        if (!text.ranked || !text.higherIsBetter) values.push_back(valueOf(metric, Kind::Lowest, text));
        if (!text.ranked || text.higherIsBetter) values.push_back(valueOf(metric, Kind::Highest, text));
    }
    return values;
}

std::vector<std::string> metricsOf(const std::vector<ComparedRun>& runs) {
    std::set<std::string> found;
    for (const ComparedRun& run : runs) {
        if (!run.data) continue;
        for (const auto& [id, value] : run.data->summary.metrics) found.insert(id);
        for (const auto& [id, series] : run.data->series)
            if (series && series->size() > 0) found.insert(id);
    }
    return qualityFirst({found.begin(), found.end()});
}

std::optional<double> lastValue(const ComparedRun& run, const std::string& metric) {
    if (!run.data) return {};
    if (const auto series = run.data->find(metric); series && series->size() > 0) return series->value.back();
    const auto found = run.data->summary.metrics.find(metric);
    if (found == run.data->summary.metrics.end()) return {};
    return found->second;
}

}  // namespace kurve::views
