#include "views/common/chart/run_axis.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/series/align.h"
#include "core/store/pauses.h"

namespace kurve::views {

namespace {

using Kind = RunAxis::Kind;

constexpr double kFlopsPerWeight = 6;        ///< multiply and add, forward once and backward twice
constexpr double kFlopsPerFrozenWeight = 2;  ///< forward alone
const QString kMetricPrefix = QStringLiteral("metric:");

struct KindText {
    Kind kind;
    const char *id, *title;
};
constexpr KindText kKinds[] = {
    {Kind::Step, "step", "step"},
    {Kind::Epoch, "epoch", "epoch"},
    {Kind::Tokens, "tokens", "target tokens seen"},
    {Kind::Examples, "examples", "examples seen"},
    {Kind::Flops, "flops",
     "training FLOPs (of a target token as the family counts them, else 6 × trained + 2 × frozen "
     "parameters)"},
    {Kind::Training, "training", "training time / s"},
    {Kind::Wall, "wall", "wall time"},
    {Kind::Number, "number", "number in the metric's name"},
};

/// Target tokens per step, for runs that did not log their sum: the median of throughput times time per step,
/// which is robust to the points after an evaluation.
double tokensPerStep(const RunData& data) {
    const auto rate = data.find("tokens_per_second");
    if (!rate || rate->size() < 2) return 0;
    std::vector<double> tokens;
    for (std::size_t i = 1; i < rate->size(); ++i) {
        const auto steps = static_cast<double>(rate->step[i] - rate->step[i - 1]);
        const double value = rate->value[i] * (rate->wall[i] - rate->wall[i - 1]) / steps;
        if (steps > 0 && std::isfinite(value)) tokens.push_back(value);
    }
    if (tokens.empty()) return 0;
    const auto middle = tokens.begin() + static_cast<std::ptrdiff_t>(tokens.size() / 2);
    std::nth_element(tokens.begin(), middle, tokens.end());
    return *middle;
}

/// A cumulative quantity, interpolated at the steps of another curve.
std::vector<double> cumulative(const RunData& data, const char* metric, const store::Series& series) {
    const auto counted = data.find(metric);
    if (!counted || counted->size() == 0) return {};
    return series::tokenAxis(series.step, counted->step, counted->value);
}

std::vector<double> tokensSeen(const RunData& data, const store::Series& series) {
    if (auto counted = cumulative(data, "tokens_seen", series); !counted.empty()) return counted;
    const double each = tokensPerStep(data);
    if (each <= 0) return {};
    std::vector<double> x = series::stepAxis(series.step);
    for (double& value : x) value *= each;
    return x;
}

std::vector<double> flops(const RunData& data, const store::Series& series) {
    const auto number = [&](const char* key) { return std::strtod(data.value(key).c_str(), nullptr); };
    const double all = number("parameters"), frozen = number("frozen_parameters"),
                 declared = number("flops_per_token");
    if (!(all > 0)) return {};
    std::vector<double> x = tokensSeen(data, series);
    const double each =
        declared > 0 ? declared : kFlopsPerWeight * (all - frozen) + kFlopsPerFrozenWeight * frozen;
    for (double& value : x) value *= each;
    return x;
}

std::vector<double> trainingTime(const RunData& data, const store::Series& series) {
    std::vector<std::span<const double>> walls;
    for (const auto& [metric, each] : data.series) walls.emplace_back(each->wall);
    return series::wallAxis(series.wall, data.summary.started,
                            store::pausesOf(data.events, data.segments, walls));
}

std::vector<double> metricAxis(const RunData& data, const std::string& metric, const store::Series& series) {
    const auto other = data.find(metric);
    if (!other || other->size() == 0) return {};
    return series::resample(series::stepAxis(other->step), other->value, series::stepAxis(series.step));
}

}  // namespace

QString RunAxis::id() const {
    if (kind == Kind::Metric) return kMetricPrefix + QString::fromStdString(metric);
    return QLatin1String(kKinds[static_cast<std::size_t>(kind)].id);
}

RunAxis RunAxis::fromId(const QString& id) {
    if (id.startsWith(kMetricPrefix)) return {Kind::Metric, id.mid(kMetricPrefix.size()).toStdString()};
    for (const KindText& known : kKinds)
        if (id == QLatin1String(known.id)) return {known.kind, {}};
    return {};
}

QString RunAxis::title(const EngineInfo& engine) const {
    if (kind != Kind::Metric) return QString::fromUtf8(kKinds[static_cast<std::size_t>(kind)].title);
    const auto text = engine.metric(metric);
    return text.unit.isEmpty() ? text.title : QStringLiteral("%1 / %2").arg(text.title, text.unit);
}

std::vector<double> RunAxis::of(const RunData& data, const store::Series& series) const {
    switch (kind) {
        case Kind::Step:
            return series::stepAxis(series.step);
        case Kind::Epoch:
            return cumulative(data, "epoch", series);
        case Kind::Tokens:
            return tokensSeen(data, series);
        case Kind::Examples:
            return cumulative(data, "examples_seen", series);
        case Kind::Flops:
            return flops(data, series);
        case Kind::Training:
            return trainingTime(data, series);
        case Kind::Wall: {
            std::vector<double> x(series.wall.begin(), series.wall.end());
            for (std::size_t i = 1; i < x.size(); ++i) x[i] = std::max(x[i], x[i - 1]);
            return x;
        }
        case Kind::Number:
            return {};
        case Kind::Metric:
            return metricAxis(data, metric, series);
    }
    return {};
}

std::optional<std::pair<std::string, int>> numberedMetric(const std::string& name) {
    const std::size_t at = name.find_last_not_of("0123456789");
    if (at == std::string::npos || name[at] != '_' || at + 1 == name.size() || name.size() - at > 9)
        return {};
    return {{name.substr(0, at), std::stoi(name.substr(at + 1))}};
}

std::vector<RunAxis> axesOf(const RunDatas& runs, const std::vector<std::string>& metrics) {
    std::vector<RunAxis> axes;
    const auto someRunHas = [&](const RunAxis& axis) {
        return std::any_of(runs.begin(), runs.end(), [&](const auto& run) {
            if (!run) return false;
            for (const auto& [id, series] : run->series)
                if (series && series->size() > 0) return !axis.of(*run, *series).empty();
            return false;
        });
    };
    for (const KindText& known : kKinds) {
        const RunAxis axis{known.kind, {}};
        const bool always = known.kind == Kind::Step || known.kind == Kind::Training;
        if (always || someRunHas(axis)) axes.push_back(axis);
    }
    for (const std::string& id : metrics)
        if (id != "epoch" && id != "tokens_seen" && id != "examples_seen") axes.push_back({Kind::Metric, id});
    return axes;
}

}  // namespace kurve::views
