#include "core/interop/detail/report_data.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "core/base/file.h"
#include "core/base/json_depth.h"
#include "core/base/text.h"
#include "core/config/field_spec.h"
#include "core/interop/detail/json_number.h"
#include "core/metrics/metric.h"
#include "core/series/align.h"
#include "core/store/evaluations.h"
#include "core/store/pauses.h"

namespace kurve::interop::detail {
namespace {

using nlohmann::json;

/// Parts of the names of metrics that nothing describes here.
constexpr const char* kLowerIsBetter[] = {"loss", "nll", "ppl", "collision"};
constexpr int kDocumentDepth = 32;  // of the lists and objects in an evaluation

void flatten(const toml::table& table, const std::string& prefix, std::map<std::string, std::string>& out) {
    for (const auto& [key, node] : table) {
        const std::string name = prefix + std::string(key.str());
        if (const auto* inner = node.as_table()) {
            flatten(*inner, name + ".", out);
        } else if (const auto* text = node.as_string()) {
            out[name] = text->get();
        } else if (const auto* real = node.as_floating_point()) {
            out[name] = fieldValueText(real->get());
        } else {
            std::ostringstream value;
            value << toml::node_view<const toml::node>(node);
            out[name] = value.str();
        }
    }
}

/// The settings as texts by key, without a schema: a report also shows runs of families that this build
/// does not know.
std::map<std::string, std::string> settingsOf(const std::string& canonicalText) {
    std::map<std::string, std::string> settings;
    try {
        flatten(toml::parse(canonicalText), "", settings);
    } catch (const toml::parse_error&) {
        settings.clear();
    }
    settings.erase("name");
    return settings;
}

std::string textOf(const std::map<std::string, std::string>& values, const char* key) {
    const auto found = values.find(key);
    return found == values.end() ? "" : found->second;
}

std::string programOf(const ReportRun& run) {
    const json facts = json::parse(textOf(run.values, "environment"), nullptr, false);
    if (!facts.is_object()) return "";
    std::string text = "Kurve";
    for (const char* key : {"version", "commit", "libtorch", "cpu", "device"})
        if (facts.contains(key) && facts[key].is_string())
            text += (std::string_view(key) == "libtorch" ? ", LibTorch "
                     : text == "Kurve"                   ? " "
                                                         : ", ") +
                    facts[key].get<std::string>();
    return text;
}

bool isRequested(const std::string& metric, const std::vector<std::string>& requested) {
    return requested.empty() || std::find(requested.begin(), requested.end(), metric) != requested.end();
}

/// Losses and scores: of the other curves (learning rate, throughput, norms) neither direction is better.
bool isQuality(const std::string& metric) {
    const auto has = [&](const char* part) { return metric.find(part) != std::string::npos; };
    return has("loss") || has("nll") || has("bleu") || metric.rfind("valid_", 0) == 0 ||
           metric.rfind("eval_", 0) == 0;
}

int rank(const std::string& metric) {
    return metric.rfind("valid_", 0) == 0 ? 0 : isQuality(metric) ? 1 : 2;
}

json curveJson(const store::Series& all, const ReportRun& run, std::size_t limit) {
    const store::Series series = thinned(all, limit);
    json curve{{"step", series.step}, {"value", jsonNumbers(series.value)}};
    if (series.size() < all.size()) curve["of"] = all.size();
    const bool timed = !series.wall.empty() && series.wall.front() > 0;
    if (!timed) return curve;
    const double started = run.summary.started > 0 ? run.summary.started : all.wall.front();
    json times = json::array();
    for (const double seconds : series::wallAxis(series.wall, started, run.pauses))
        times.push_back(std::round(seconds * 1e3) / 1e3);
    curve["seconds"] = std::move(times);
    return curve;
}

json lastValues(const std::map<std::string, store::Series>& curves) {
    json last = json::object();
    for (const auto& [metric, series] : curves)
        if (!series.value.empty()) last[metric] = jsonNumber(series.value.back());
    return last;
}

/// The newest output for each prompt.
std::map<std::string, store::SampleRow> newestSamples(const ReportRun& run) {
    std::map<std::string, store::SampleRow> newest;
    for (const auto& row : run.samples) {
        const auto [at, isNew] = newest.emplace(row.input, row);
        if (!isNew && row.step >= at->second.step) at->second = row;
    }
    return newest;
}

json scoreJson(const metrics::Score& score) {
    return {{"value", jsonNumber(score.value)},
            {"low", jsonNumber(score.low)},
            {"high", jsonNumber(score.high)},
            {"n", score.n},
            {"signature", score.signature}};
}

const metrics::MetricKind* metricKind(const std::string& id) {
    for (const auto& kind : metrics::metricKinds())
        if (kind.id == id) return &kind;
    return nullptr;
}

json scoreRow(const std::string& metric, const std::string& source, std::size_t runs) {
    const auto* kind = metricKind(metric);
    return {{"metric", metric},
            {"title", kind ? kind->title : metric},
            {"unit", kind ? kind->unit : ""},
            {"source", source},
            {"values", std::vector<json>(runs)}};
}

Error badEvaluation(const std::filesystem::path& file, const std::string& problem) {
    return requestError("report.evaluation", problem)
        .in(file.string())
        .fix("use the output of kurve eval RUN --json");
}

/// {"value","ci95":[lo,hi],"n","signature"} as {"value","low","high",…}; nothing if it is not that.
std::optional<json> evaluatedScore(const json& score) {
    if (!score.is_object() || !score.contains("value") || !score.contains("ci95") ||
        !score["ci95"].is_array() || score["ci95"].size() != 2)
        return std::nullopt;
    return json{{"value", score["value"]},
                {"low", score["ci95"][0]},
                {"high", score["ci95"][1]},
                {"n", score.value("n", json(0))},
                {"signature", score.value("signature", json(""))}};
}

}  // namespace

std::vector<ScalarSpec> scalarsOf(const std::vector<ReportRun>& runs) {
    const auto common = metrics::commonScalars();
    std::vector<ScalarSpec> all(common.begin(), common.end());
    for (const ReportRun& run : runs) {
        const json own = json::parse(textOf(run.values, "scalars"), nullptr, false);
        if (!own.is_array()) continue;  // imported
        try {
            for (const json& scalar : own) all.push_back(scalarFromJson(scalar));
        } catch (const json::exception&) {  // edited by hand: the curves keep their ids as titles
        }
    }
    return all;
}

json metricJson(const std::string& id, const std::vector<ScalarSpec>& scalars) {
    json entry{{"id", id}, {"title", id}, {"unit", ""}, {"doc", ""}, {"log_scale", false}};
    const auto saved = store::scoreName(id);
    const std::string& metric = saved ? saved->metric : id;
    entry["higher_is_better"] = std::ranges::none_of(
        kLowerIsBetter, [&](const char* part) { return metric.find(part) != std::string::npos; });
    entry["ranked"] = isQuality(id);
    const auto known = std::ranges::find(scalars, metric, &ScalarSpec::id);
    if (known != scalars.end())
        entry.update({{"title", known->title},
                      {"unit", known->unit},
                      {"doc", known->doc},
                      {"log_scale", known->logScale},
                      {"higher_is_better", known->higherIsBetter}});
    if (!saved) return entry;
    if (const auto* kind = metricKind(metric))
        entry.update({{"title", kind->title},
                      {"unit", kind->unit},
                      {"doc", kind->doc},
                      {"higher_is_better", kind->higherIsBetter}});
    const std::string title = entry["title"] == id ? metric : entry["title"].get<std::string>();
    entry["title"] =
        title + " (" + saved->split + (saved->settings.empty() ? "" : ", " + saved->settings) + ")";
    return entry;
}

Result<ReportRun> readReportRun(const store::Project& project, store::RunSummary summary,
                                const ReportOptions& options) {
    ReportRun run;
    run.summary = std::move(summary);
    KURVE_TRY(const auto reader, store::RunReader::open(project.runFolder(run.summary.id)));
    run.values = reader->values();
    run.config = settingsOf(textOf(run.values, "config"));
    for (const auto& metric : reader->metrics()) {
        if (options.cancel.requested()) return requestError("cancelled", "report cancelled");
        const bool isAxis = metric == "tokens_seen";  // what curves may be drawn over
        if (!isAxis && !isRequested(metric, options.metrics)) continue;
        store::SeriesCursor cursor;
        reader->points(metric, cursor, run.curves[metric]);
    }
    std::vector<std::span<const double>> walls;
    for (const auto& [metric, series] : run.curves) walls.emplace_back(series.wall);
    run.pauses = store::pausesOf(reader->events(), reader->segments(), walls);
    run.samples = reader->samples();
    KURVE_CHECKED(reader->lastError());
    return run;
}

store::Series thinned(const store::Series& series, std::size_t limit) {
    if (series.size() <= limit) return series;
    const std::size_t stretches = std::max<std::size_t>(limit / 4, 1);
    store::Series kept;
    const auto keep = [&](std::size_t i) {
        kept.step.push_back(series.step[i]);
        kept.wall.push_back(series.wall[i]);
        kept.value.push_back(series.value[i]);
    };
    for (std::size_t s = 0; s < stretches; ++s) {
        const std::size_t begin = s * series.size() / stretches, end = (s + 1) * series.size() / stretches;
        std::set<std::size_t> chosen{begin, end - 1};
        std::optional<std::size_t> low, high, odd;
        for (std::size_t i = begin; i < end; ++i) {
            const double v = series.value[i];
            if (!std::isfinite(v)) {
                if (!odd) odd = i;
                continue;
            }
            if (!low || v < series.value[*low]) low = i;
            if (!high || v > series.value[*high]) high = i;
        }
        for (const auto& index : {low, high, odd})
            if (index) chosen.insert(*index);
        for (const auto i : chosen) keep(i);
    }
    return kept;
}

json styleJson(const store::RunStyle& style) {
    return {{"colour", style.colour}, {"dash", style.dash}, {"shape", style.marker}};
}

json runJson(const ReportRun& run, std::size_t curvePoints) {
    const auto& s = run.summary;
    json curves = json::object(), samples = json::array();
    for (const auto& [metric, series] : run.curves) curves[metric] = curveJson(series, run, curvePoints);
    for (const auto& row : run.samples)
        samples.push_back({{"step", row.step},
                           {"prompt", row.prompt},
                           {"input", row.input},
                           {"output", row.output},
                           {"reference", row.reference},
                           {"score", jsonNumber(row.score)}});
    json best = json::object();
    if (s.extremes)
        for (const auto& one : s.extremes->metrics)
            if (one.isKnown() && run.curves.contains(one.metric))
                best[one.metric] = {{"low", one.low},
                                    {"low_step", one.lowStep},
                                    {"high", one.high},
                                    {"high_step", one.highStep}};
    const std::string parameters = textOf(run.values, "parameters");
    std::int64_t count = 0;
    std::from_chars(parameters.data(), parameters.data() + parameters.size(), count);
    return {{"id", s.id},
            {"name", s.name},
            {"style", styleJson(store::styleAt(std::max(s.style, 0)))},
            {"family", s.family},
            {"task", s.task},
            {"state", s.state},
            {"reason", s.reason},
            {"step", s.step},
            {"total_steps", s.totalSteps},
            {"started", s.started},
            {"ended", s.ended},
            {"seconds", s.ended > s.started && s.started > 0 ? s.ended - s.started : 0.0},
            {"parent", s.parent},
            {"tags", s.tags},
            {"notes", s.notes},
            {"config_hash", s.configHash},
            {"data_hash", textOf(run.values, "data_hash")},
            {"source", std::filesystem::path(textOf(run.values, "source")).filename().string()},
            {"parameters", count},
            {"program", programOf(run)},
            {"config", run.config},
            {"last", lastValues(run.curves)},
            {"best", std::move(best)},
            {"curves", curves},
            {"samples", samples}};
}

json metricsJson(const std::vector<ReportRun>& runs, const std::vector<std::string>& requested) {
    std::set<std::string> found;
    for (const auto& run : runs)
        for (const auto& [metric, series] : run.curves)
            if (series.size() > 0 && isRequested(metric, requested)) found.insert(metric);
    std::vector<std::string> ids(found.begin(), found.end());
    std::stable_sort(ids.begin(), ids.end(), [](const auto& a, const auto& b) { return rank(a) < rank(b); });
    json list = json::array();
    const auto scalars = scalarsOf(runs);
    for (const auto& id : ids) list.push_back(metricJson(id, scalars));
    return list;
}

json promptScoresJson(const std::vector<ReportRun>& runs) {
    json rows = json::array();
    for (const char* metric : {"bleu", "chrf", "exact-match", "reps_word"}) {
        const auto* kind = metricKind(metric);
        json row = scoreRow(metric, "fixed prompts, last outputs", runs.size());
        std::optional<std::vector<std::string>> first;  // the prompts that the first scored run answered
        for (std::size_t i = 0; i < runs.size(); ++i) {
            std::vector<std::string> inputs, outputs, references;
            for (const auto& [input, sample] : newestSamples(runs[i])) {
                if (kind->needsReferences && sample.reference.empty()) continue;
                inputs.push_back(input);
                outputs.push_back(sample.output);
                if (kind->needsReferences) references.push_back(sample.reference);
            }
            if (outputs.empty()) continue;
            const auto score = metrics::score(metric, {outputs, references, {}});
            if (!score) continue;  // a text that is not UTF-8
            row["values"][i] = scoreJson(*score);
            if (!first) first = inputs;
            row["values"][i]["other_texts"] = inputs != *first;
        }
        if (first) rows.push_back(std::move(row));
    }
    return rows;
}

Result<json> evaluationScoresJson(const std::vector<ReportRun>& runs,
                                  const std::vector<std::filesystem::path>& files) {
    std::vector<std::string> ids;
    for (const auto& run : runs) ids.push_back(run.summary.id);
    std::map<std::pair<std::string, std::string>, json> rows;  // by split with settings, and metric
    for (const auto& file : files) {
        KURVE_TRY(const std::string text, readFile(file, kResultBytes));
        if (jsonDeeperThan(text, kDocumentDepth)) return badEvaluation(file, "nested too deeply");
        const json document = json::parse(text, nullptr, false);
        if (!document.is_object() || !document.contains("run") || !document["run"].is_string() ||
            !document.contains("metrics") || !document["metrics"].is_object())
            return badEvaluation(file, "not an evaluation");
        const auto id = document["run"].get<std::string>();
        const auto at = std::find(ids.begin(), ids.end(), id);
        if (at == ids.end()) return badEvaluation(file, "is of run " + id + ", which is not in the report");
        const std::string split = document.value("split", json("valid")).is_string()
                                      ? document.value("split", "valid")
                                      : std::string("valid");
        for (const auto& [metric, score] : document["metrics"].items()) {
            const auto value = evaluatedScore(score);
            if (!value) return badEvaluation(file, "its score " + metric + " needs value and ci95");
            const std::string settings = store::scoreSettings(document, metric, score);
            const std::string where = split + " split" + (settings.empty() ? "" : ", " + settings.substr(1));
            auto& row = rows.try_emplace({where, metric}, scoreRow(metric, where, runs.size())).first->second;
            auto& cell = row["values"][static_cast<std::size_t>(at - ids.begin())];
            cell = *value;
            if (const auto weights = document.find("checkpoint");
                weights != document.end() && weights->is_string())
                cell["checkpoint"] = std::filesystem::path(weights->get<std::string>()).filename().string();
        }
    }
    json list = json::array();
    for (auto& [key, row] : rows) list.push_back(std::move(row));
    return list;
}

}  // namespace kurve::interop::detail
