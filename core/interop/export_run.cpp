#include "core/interop/export_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/base/text.h"
#include "core/interop/detail/json_number.h"
#include "core/interop/detail/trace_names.h"
#include "core/interop/table_text.h"
#include "core/store/safetensors.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using detail::jsonNumber;
using detail::jsonNumbers;
using detail::jsonText;
using nlohmann::json;
using Names = std::vector<std::string>;

TableText::Form formOf(const std::string& format) {
    KURVE_CHECK(format == "csv" || format == "markdown", "{} is not a table", format);
    return format == "csv" ? TableText::Form::Csv : TableText::Form::Markdown;
}

/// Several runs in one table are told apart by a first column.
Names withRun(bool several, Names columns) {
    if (several) columns.insert(columns.begin(), "run");
    return columns;
}
std::vector<Cell> withRun(bool several, const std::string& run, std::vector<Cell> row) {
    if (several) row.insert(row.begin(), Cell(run));
    return row;
}
/// One run's document, or a list of them.
std::string documentText(json documents) {
    return jsonText(documents.size() == 1 ? documents.front() : json{{"runs", std::move(documents)}});
}

Status checkMetrics(std::span<const ExportedRun> runs, const Names& metrics) {
    std::set<std::string> found;
    for (const auto& run : runs)
        for (auto& name : run.reader->metrics()) found.insert(std::move(name));
    const Names known(found.begin(), found.end());
    for (const auto& name : metrics) {
        if (found.contains(name)) continue;
        const auto near = nearestWord(name, known);
        return requestError("export.no_metric", "the run has no metric \"" + name + "\"")
            .in(runs.front().id)
            .fix(near ? "did you mean " + *near + "?" : "it has " + join(known, ", "));
    }
    return {};
}

store::Series seriesOf(const ExportedRun& run, const std::string& metric) {
    store::SeriesCursor cursor;
    store::Series series;
    run.reader->points(metric, cursor, series);
    return series;
}

/// Calls `use` with every requested curve of every run.
template <class Use>
Status eachCurve(std::span<const ExportedRun> runs, const Names& metrics, Use use) {
    KURVE_CHECKED(checkMetrics(runs, metrics));
    for (const auto& run : runs) {
        const Names known = run.reader->metrics();
        for (const auto& metric : metrics.empty() ? known : metrics)
            if (std::find(known.begin(), known.end(), metric) != known.end())
                use(run, metric, seriesOf(run, metric));
        KURVE_CHECKED(run.reader->lastError());
    }
    return {};
}

json sampleJson(const store::SampleRow& row) {
    return {{"step", row.step},
            {"prompt", row.prompt},
            {"input", row.input},
            {"output", row.output},
            {"reference", row.reference},
            {"score", jsonNumber(row.score)},
            {"trace", row.traceFile.text()}};
}

json traceJson(const trace::Trace& t) {
    json frames = json::array();
    for (int step = 0; step < t.steps; ++step) {
        const auto s = static_cast<std::size_t>(step);
        json frame{{"step", step}, {"t", t.t[s]}, {"log_snr", jsonNumber(t.logSnr[s])}};
        for (int position = 0; position < t.positions; ++position) {
            const auto add = [&](const char* name, std::vector<float> trace::Trace::*layer) {
                if (!(t.*layer).empty())
                    frame[name].push_back(jsonNumber(double{t.value(layer, step, position)}));
            };
            if (!t.tokens.empty()) frame["tokens"].push_back(t.tokenAt(step, position));
            frame["state"].push_back(detail::stateName(t.stateAt(step, position)));
            add("confidence", &trace::Trace::confidence);
            add("entropy", &trace::Trace::entropy);
            add("margin", &trace::Trace::margin);
        }
        frames.push_back(std::move(frame));
    }
    json texts = json::object();
    for (const auto& [id, text] : t.tokenTexts) texts[std::to_string(id)] = text;
    return {{"meta", t.meta},       {"unit", trace::unitName(t.unit)},
            {"steps", t.steps},     {"positions", t.positions},
            {"token_texts", texts}, {"frames", frames}};
}

// Tables count the steps as the views and pages do, from 1; the JSON's numbers are indices of its list.
std::string traceCsv(const trace::Trace& t) {
    TableText table(TableText::Form::Csv, Names{"step", "t", "log_snr", "position", "token_id", "token",
                                                "state", "confidence", "entropy", "margin"});
    for (int step = 0; step < t.steps; ++step)
        for (int position = 0; position < t.positions; ++position) {
            const auto s = static_cast<std::size_t>(step);
            const auto number = [&](std::vector<float> trace::Trace::*layer) {
                const float value = t.value(layer, step, position);
                return std::isnan(value) ? std::string() : fmt::format("{:.6g}", value);
            };
            const std::string confidence = number(&trace::Trace::confidence),
                              entropy = number(&trace::Trace::entropy),
                              margin = number(&trace::Trace::margin),
                              token = t.tokens.empty() ? "" : std::to_string(t.tokenAt(step, position));
            table.add({std::int64_t{step} + 1, t.t[s], t.logSnr[s], std::int64_t{position}, token,
                       t.textOf(t.tokenAt(step, position)),
                       std::string_view(detail::stateName(t.stateAt(step, position))), confidence, entropy,
                       margin});
        }
    return std::move(table).take();
}

std::string traceMarkdown(const trace::Trace& t) {
    TableText table(TableText::Form::Markdown, Names{"step", "t", "log-SNR", "text"});
    for (int step = 0; step < t.steps; ++step) {
        const auto s = static_cast<std::size_t>(step);
        const std::string text = detail::textOf(t, step);
        table.add({std::int64_t{step} + 1, t.t[s], t.logSnr[s], text});
    }
    return std::move(table).take();
}

}  // namespace

Result<std::string> scalarsText(std::span<const ExportedRun> runs, const std::string& format,
                                const Names& metrics) {
    const bool several = runs.size() > 1;
    if (format == "json") {
        std::map<std::string, json> curves;
        KURVE_CHECKED(eachCurve(runs, metrics, [&](const auto& run, const auto& metric, const auto& series) {
            curves[run.id][metric] = {{"step", series.step},
                                      {"wall", jsonNumbers(series.wall)},
                                      {"value", jsonNumbers(series.value)}};
        }));
        json documents = json::array();
        for (const auto& run : runs) {
            json found = curves.contains(run.id) ? std::move(curves[run.id]) : json::object();
            documents.push_back({{"run", run.id}, {"metrics", std::move(found)}});
        }
        return documentText(std::move(documents));
    }
    TableText table(formOf(format), withRun(several, {"metric", "step", "wall", "value"}));
    KURVE_CHECKED(eachCurve(runs, metrics, [&](const auto& run, const auto& metric, const auto& series) {
        for (std::size_t i = 0; i < series.size(); ++i)
            table.add(withRun(several, run.id, {metric, series.step[i], series.wall[i], series.value[i]}));
    }));
    return std::move(table).take();
}

Status writeScalars(const fs::path& file, std::span<const ExportedRun> runs, const Names& metrics) {
    std::map<std::string, store::Series> curves;
    Names ids;
    for (const auto& run : runs) ids.push_back(run.id);
    KURVE_CHECKED(eachCurve(runs, metrics, [&](const auto& run, const auto& metric, auto series) {
        curves[(runs.size() > 1 ? run.id + "/" : "") + metric] = std::move(series);
    }));
    std::map<std::string, store::TensorView> tensors;
    for (const auto& [name, series] : curves) {
        const std::vector<std::int64_t> shape{static_cast<std::int64_t>(series.size())};
        tensors[name + "/step"] = {"I64", shape, std::as_bytes(std::span(series.step))};
        tensors[name + "/wall"] = {"F64", shape, std::as_bytes(std::span(series.wall))};
        tensors[name + "/value"] = {"F64", shape, std::as_bytes(std::span(series.value))};
    }
    const auto written =
        store::writeSafetensors(file, tensors, {{"format", "kurve.scalars/1"}, {"runs", join(ids, " ")}});
    if (!written) return written.error();
    return {};
}

Result<std::string> samplesText(std::span<const ExportedRun> runs, const std::string& format) {
    const bool several = runs.size() > 1, isJson = format == "json";
    json documents = json::array();
    TableText table(isJson ? TableText::Form::Csv : formOf(format),
                    withRun(several, {"step", "prompt", "input", "output", "reference", "score"}));
    for (const auto& run : runs) {
        json all = json::array();
        for (const auto& row : run.reader->samples()) {
            if (isJson)
                all.push_back(sampleJson(row));
            else
                table.add(withRun(
                    several, run.id,
                    {row.step, std::int64_t{row.prompt}, row.input, row.output, row.reference, row.score}));
        }
        KURVE_CHECKED(run.reader->lastError());
        documents.push_back({{"run", run.id}, {"samples", std::move(all)}});
    }
    return isJson ? documentText(std::move(documents)) : std::move(table).take();
}

std::string configText(const RunConfig& config, const std::string& format) {
    if (format == "toml") return config.canonicalText();
    if (format == "json") {
        json values = {{"family", config.family()}, {"name", config.name()}};
        for (const auto& field : config.schema().fields) values[field.key] = toJson(config.value(field.key));
        return jsonText(values);
    }
    TableText table(formOf(format), Names{"key", "value"});
    table.add({"family", config.family()});
    table.add({"name", config.name()});
    for (const auto& field : config.schema().fields) {
        const std::string value = fieldValueText(config.value(field.key));
        table.add({field.key, value});
    }
    return std::move(table).take();
}

Result<fs::path> findTrace(const ExportedRun& run, const std::string& which) {
    const auto rows = run.reader->traces();
    Names names;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        const fs::path name = row->path.name();
        names.push_back(name.stem());
        const bool chosen = which.empty() || which == row->path.text() || which == name ||
                            which == name.stem() || which == std::to_string(row->step);
        if (chosen) return row->path.in(run.reader->folder());
    }
    if (names.empty())
        return requestError("export.no_trace", "the run has no trace")
            .in(run.id)
            .at(which)
            .fix("kurve trace records one");
    constexpr std::size_t kNamed = 3;  // a run has hundreds
    const std::string count = fmt::format("the newest of {}: ", names.size());
    names.resize(std::min(names.size(), kNamed));
    return requestError("export.no_trace", "no such trace")
        .in(run.id)
        .at(which)
        .fix(count + join(names, ", "));
}

std::string traceText(const trace::Trace& trace, const std::string& format) {
    return format == "json"  ? jsonText(traceJson(trace))
           : format == "csv" ? traceCsv(trace)
                             : traceMarkdown(trace);
}

}  // namespace kurve::interop
