#include "views/compare/explore_axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "views/common/data/run_ranking.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr int kMaxCategories = 20;
constexpr const char* kFamily = "family";
const std::string kLowest = "min.", kHighest = "max.";  // as store::RunFilter has them

std::optional<double> numberOf(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    return text.empty() || *end != '\0' || !std::isfinite(value) ? std::nullopt : std::optional(value);
}

std::optional<std::string> textOf(const store::RunSummary& run, const std::string& key) {
    if (key == kFamily) return run.family;
    const auto found = run.settings.find(key);
    return found == run.settings.end() ? std::nullopt : std::optional(found->second);
}

std::optional<double> numberOf(const store::RunSummary& run, const ExploreAxis& axis) {
    if (!axis.metric) {
        const auto text = textOf(run, axis.key);
        return text ? numberOf(*text) : std::nullopt;
    }
    const auto found = run.metrics.find(axis.key);
    if (found != run.metrics.end())
        return std::isfinite(found->second) ? std::optional(found->second) : std::nullopt;
    const auto* extremes =
        axis.key.size() > 4 && run.extremes ? run.extremes->find(axis.key.substr(4)) : nullptr;
    if (extremes && axis.key.starts_with(kLowest)) return extremes->low;
    if (extremes && axis.key.starts_with(kHighest)) return extremes->high;
    return std::nullopt;
}

/// Lowest or highest values of a metric's curves, over all runs.
struct BestRange {
    double low = std::numeric_limits<double>::infinity(), high = -low;
    int known = 0;
    bool differs = false;  ///< from the last value of some run

    void take(double value, const std::optional<double>& last) {
        low = std::min(low, value), high = std::max(high, value);
        ++known;
        differs |= last && *last != value;
    }
};

std::optional<double> lastOf(const store::RunSummary& run, const std::string& metric) {
    const auto found = run.metrics.find(metric);
    return found == run.metrics.end() ? std::nullopt : std::optional(found->second);
}

/// One pass over the runs, whatever the number of metrics.
std::map<std::string, BestRange> bestRanges(std::span<const store::RunSummary> runs,
                                            const EngineInfo& engine) {
    std::map<std::string, std::array<BestRange, 2>> ranges;
    for (const auto& run : runs) {
        if (!run.extremes) continue;
        for (const store::Extremes& one : run.extremes->metrics) {
            if (!one.isKnown()) continue;
            auto& [low, high] = ranges[one.metric];
            const auto last = lastOf(run, one.metric);
            low.take(one.low, last), high.take(one.high, last);
        }
    }
    std::map<std::string, BestRange> best;
    for (const auto& [metric, both] : ranges) {
        const auto text = engine.metric(metric);
        if (!text.ranked || !text.higherIsBetter) best[kLowest + metric] = both[0];
        if (!text.ranked || text.higherIsBetter) best[kHighest + metric] = both[1];
    }
    std::erase_if(best,
                  [](const auto& one) { return !one.second.differs || one.second.low >= one.second.high; });
    return best;
}

/// Numbers where all of its values are numbers.
std::optional<ExploreAxis> axisOf(std::span<const store::RunSummary> runs, const std::string& key,
                                  bool metric) {
    ExploreAxis axis{key, metric, false, 0, 1, {}};
    std::set<double> numbers;
    std::set<std::string> texts;
    for (const auto& run : runs) {
        if (const auto number = numberOf(run, axis)) numbers.insert(*number);
        if (const auto text = metric ? std::nullopt : textOf(run, key)) texts.insert(*text);
    }
    const bool numeric = metric || (!numbers.empty() && std::ranges::all_of(texts, [](const auto& t) {
                             return numberOf(t).has_value();
                         }));
    if (numeric) {
        if (numbers.size() < 2) return {};
        axis.low = *numbers.begin(), axis.high = *numbers.rbegin();
        axis.log = axis.low > 0 && axis.high / axis.low > 100;
        return axis;
    }
    if (texts.size() < 2 || texts.size() > kMaxCategories) return {};
    for (const auto& text : texts) axis.categories << QString::fromStdString(text);
    return axis;
}

/// Scores and losses; not the parts of a loss.
bool isPrimaryMetric(const std::string& metric) {
    const MetricSort sort = sortOf(metric);
    return sort == MetricSort::Score || sort == MetricSort::ValidLoss || metric == "loss";
}

/// Settings of files and evaluation times, which do not change the training.
bool isHousekeeping(const std::string& key) {
    return key.rfind("checkpoint.", 0) == 0 || key.rfind("eval.", 0) == 0 || key.rfind("data.", 0) == 0;
}

}  // namespace

double ExploreAxis::position(const store::RunSummary& run) const {
    const double none = std::numeric_limits<double>::quiet_NaN();
    if (!categories.isEmpty()) {
        const auto text = textOf(run, key);
        const auto at = text ? categories.indexOf(QString::fromStdString(*text)) : -1;
        return at < 0 ? none : static_cast<double>(at) / static_cast<double>(categories.size() - 1);
    }
    const auto number = numberOf(run, *this);
    return number ? positionOf(*number) : none;
}

double ExploreAxis::positionOf(double value) const {
    if (log && value <= 0) return -std::numeric_limits<double>::infinity();
    if (log) return std::log(value / low) / std::log(high / low);
    return (value - low) / (high - low);
}

std::optional<double> ExploreAxis::number(const store::RunSummary& run) const {
    return categories.isEmpty() ? numberOf(run, *this) : std::nullopt;
}

QString ExploreAxis::text(const store::RunSummary& run) const {
    if (!categories.isEmpty()) return QString::fromStdString(textOf(run, key).value_or(""));
    const auto number = numberOf(run, *this);
    return number ? numberText(*number) : QString();
}

double ExploreAxis::valueAt(double position) const {
    return log ? low * std::pow(high / low, position) : low + position * (high - low);
}

QString ExploreAxis::textAt(double position) const {
    if (categories.isEmpty()) return numberText(valueAt(position), 4);
    return categories.value(
        static_cast<int>(std::lround(position * static_cast<double>(categories.size() - 1))));
}

QString ExploreAxis::terms(double from, double to) const {
    if (from > to) std::swap(from, to);
    if (from <= 0 && to >= 1) return {};
    const QString name = QString::fromStdString(key);
    if (categories.isEmpty()) {
        QStringList terms;
        if (from > 0) terms << QString::fromStdString(fmt::format("{}>={:.6g}", key, valueAt(from)));
        if (to < 1) terms << QString::fromStdString(fmt::format("{}<={:.6g}", key, valueAt(to)));
        return terms.join(QLatin1Char(' '));
    }
    QStringList inside, outside;
    for (qsizetype i = 0; i < categories.size(); ++i) {
        const double at = static_cast<double>(i) / static_cast<double>(categories.size() - 1);
        const QString value = categories[i].contains(QLatin1Char(' '))
                                  ? QLatin1Char('"') + categories[i] + QLatin1Char('"')
                                  : categories[i];
        (at >= from && at <= to ? inside : outside) << value;
    }
    // Terms are joined by "and": one value is named, several by what they are not.
    if (inside.size() == 1) return name + QLatin1Char('=') + inside.front();
    for (QString& value : outside) value = name + QStringLiteral("!=") + value;
    return outside.join(QLatin1Char(' '));
}

std::vector<ExploreAxis> exploreAxes(std::span<const store::RunSummary> runs, const EngineInfo& engine) {
    std::set<std::string> settings, metrics;
    std::map<std::string, int> known;
    for (const auto& run : runs) {
        for (const auto& [key, value] : run.settings) settings.insert(key), ++known[key];
        for (const auto& [key, value] : run.metrics) metrics.insert(key), ++known[key];
    }
    known[kFamily] = static_cast<int>(runs.size());
    std::vector<ExploreAxis> axes;
    const auto add = [&](const std::string& key, bool metric) {
        if (auto axis = axisOf(runs, key, metric)) axes.push_back(std::move(*axis));
    };
    add(kFamily, false);
    for (const auto& key : settings) add(key, false);
    for (const auto& key : qualityFirst({metrics.begin(), metrics.end()})) add(key, true);
    for (const auto& [key, range] : bestRanges(runs, engine)) {
        axes.push_back({key, true, range.low > 0 && range.high / range.low > 100, range.low, range.high, {}});
        known[key] = range.known;
    }
    const auto rank = [&](const ExploreAxis& axis) {
        const int few = 2 * known[axis.key] < static_cast<int>(runs.size()) ? 4 : 0;
        if (axis.metric) return few + (isPrimaryMetric(axis.key) ? 2 : 4);
        return few + (axis.key == kFamily ? 0 : isHousekeeping(axis.key) ? 3 : 1);
    };
    std::ranges::stable_sort(axes, {}, rank);
    return axes;
}

}  // namespace kurve::views
