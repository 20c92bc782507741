#include "core/interop/scalar_log.h"

#include <algorithm>
#include <numeric>
#include <set>

#include "core/base/text.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;

template <class T>
void reorder(GrowingList<T>& values, const std::vector<std::size_t>& order) {
    GrowingList<T> sorted;
    for (const auto i : order) sorted.push_back(values[i]);
    values = std::move(sorted);
}

void sortSteps(store::Series& series) {
    if (std::is_sorted(series.step.begin(), series.step.end())) return;
    std::vector<std::size_t> order(series.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return series.step[a] < series.step[b]; });
    reorder(series.step, order);
    reorder(series.wall, order);
    reorder(series.value, order);
}

bool endsWithOneOf(const fs::path& source, std::initializer_list<const char*> endings) {
    const std::string ending = source.extension().string();
    return std::find(endings.begin(), endings.end(), ending) != endings.end();
}

}  // namespace

void ScalarLog::add(const std::string& metric, std::int64_t step, double wall, double value) {
    if (attempts.empty()) attempts.emplace_back();
    store::Series& series = attempts.back().curves[metric];
    series.step.push_back(step);
    series.wall.push_back(wall);
    series.value.push_back(value);
}

void ScalarLog::sort() {
    for (auto& attempt : attempts)
        for (auto& [metric, series] : attempt.curves) sortSteps(series);
}

std::int64_t ScalarLog::points() const {
    std::size_t count = 0;
    for (const auto& attempt : attempts)
        for (const auto& [metric, series] : attempt.curves) count += series.size();
    return static_cast<std::int64_t>(count);
}

std::int64_t ScalarLog::lastStep() const {
    std::int64_t last = std::numeric_limits<std::int64_t>::min();
    for (const auto& attempt : attempts)
        for (const auto& [metric, series] : attempt.curves)
            for (const auto step : series.step) last = std::max(last, step);
    return last == std::numeric_limits<std::int64_t>::min() ? 0 : last;
}

std::pair<double, double> ScalarLog::wallRange() const {
    double first = 0, last = 0;
    for (const auto& attempt : attempts)
        for (const auto& [metric, series] : attempt.curves)
            for (const double wall : series.wall) {
                if (!(wall > 0)) continue;
                first = first == 0 ? wall : std::min(first, wall);
                last = std::max(last, wall);
            }
    return {first, last};
}

std::vector<std::string> ScalarLog::metrics() const {
    std::set<std::string> names;
    for (const auto& attempt : attempts)
        for (const auto& [metric, series] : attempt.curves) names.insert(metric);
    return {names.begin(), names.end()};
}

bool ScalarLog::hasPointFrom(std::int64_t firstStep, const std::string& ofMetric) const {
    for (const auto& attempt : attempts)
        for (const auto& [metric, series] : attempt.curves)
            if ((ofMetric.empty() || metric == ofMetric) &&
                std::any_of(series.step.begin(), series.step.end(), [&](auto s) { return s >= firstStep; }))
                return true;
    return false;
}

const std::vector<LogFormat>& logFormats() {
    static const std::vector<LogFormat> formats{
        {"tfevents", "TensorBoard event files, or a folder of them",
         [](const fs::path& source) {
             std::error_code ignored;
             return source.filename().string().find("tfevents") != std::string::npos ||
                    fs::is_directory(source, ignored);
         },
         readEventFiles},
        {"csv", "a table with a header: step and one column a metric, or metric, step, value",
         [](const fs::path& source) {
             return endsWithOneOf(source, {".csv", ".tsv"});
         },
         readCsvLog},
        {"jsonl", "one JSON object a line: step and one member a metric",
         [](const fs::path& source) {
             return endsWithOneOf(source, {".jsonl", ".ndjson"});
         },
         readJsonLog},
    };
    return formats;
}

Result<const LogFormat*> findLogFormat(const std::string& id, const fs::path& source) {
    std::vector<std::string> known;
    for (const auto& format : logFormats()) {
        if (id.empty() ? format.recognises(source) : id == format.id) return &format;
        known.emplace_back(format.id);
    }
    return requestError("import.format",
                        id.empty() ? "the format is not clear from the name" : "no format \"" + id + "\"")
        .in(source.string())
        .fix(id.empty()
                 ? "let its name end with .csv, .tsv, .jsonl or .ndjson, or use --format " + join(known, ", ")
                 : "choose " + join(known, ", "));
}

}  // namespace kurve::interop
