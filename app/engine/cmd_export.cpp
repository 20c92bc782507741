#include <fmt/format.h>

#include <algorithm>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/trace/trace.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct Request {
    std::string run, what = "scalars", format, out = "-", trace;
    std::vector<std::string> metrics;
};

/// RFC 4180: quoted where needed, quotes doubled.
std::string csvText(const std::string& text) {
    if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += '"';
        quoted += c;
    }
    return quoted + "\"";
}

std::string jsonText(const json& document) {
    return document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
}

json numbers(const std::vector<double>& values) {
    json array = json::array();
    for (const double v : values) array.push_back(jsonNumber(v));
    return array;
}

Status checkMetrics(const Request& request, const std::vector<std::string>& known) {
    for (const auto& name : request.metrics) {
        if (std::find(known.begin(), known.end(), name) != known.end()) continue;
        const auto near = nearestWord(name, known);
        return requestError("export.no_metric", "the run has no metric \"" + name + "\"")
            .in(request.run)
            .fix(near ? "did you mean " + *near + "?" : "it has " + join(known, ", "));
    }
    return {};
}

/// Every point as it was logged; numbers as short as reads back to the same double.
Result<std::string> scalars(const store::RunReader& reader, const Request& request) {
    const auto known = reader.metrics();
    KURVE_CHECKED(checkMetrics(request, known));
    std::string csv = "metric,step,wall,value\n";
    json all = json::object();
    for (const auto& name : request.metrics.empty() ? known : request.metrics) {
        store::SeriesCursor cursor;
        store::Series series;
        reader.points(name, cursor, series);
        if (request.format == "json")
            all[name] = {
                {"step", series.step}, {"wall", numbers(series.wall)}, {"value", numbers(series.value)}};
        else
            for (std::size_t i = 0; i < series.size(); ++i)
                csv += fmt::format("{},{},{},{}\n", csvText(name), series.step[i], series.wall[i],
                                   series.value[i]);
    }
    return request.format == "json" ? jsonText({{"run", request.run}, {"metrics", all}}) : csv;
}

Result<std::string> samples(const store::RunReader& reader, const Request& request) {
    std::string csv = "step,prompt,input,output,reference,score\n";
    json all = json::array();
    for (const auto& row : reader.samples()) {
        csv += fmt::format("{},{},{},{},{},{}\n", row.step, row.prompt, csvText(row.input),
                           csvText(row.output), csvText(row.reference), row.score);
        all.push_back({{"step", row.step},
                       {"prompt", row.prompt},
                       {"input", row.input},
                       {"output", row.output},
                       {"reference", row.reference},
                       {"score", jsonNumber(row.score)},
                       {"trace", row.traceFile}});
    }
    return request.format == "json" ? jsonText({{"run", request.run}, {"samples", all}}) : csv;
}

Result<std::string> config(const CommonOptions& common, const Request& request) {
    KURVE_TRY(const OpenRun run, openRun(common, request.run));
    if (request.format == "toml") return run.config.canonicalText();
    std::string csv =
        fmt::format("key,value\nfamily,{}\nname,{}\n", run.config.family(), csvText(run.config.name()));
    json values = {{"family", run.config.family()}, {"name", run.config.name()}};
    for (const auto& field : run.config.schema().fields) {
        const auto& value = run.config.value(field.key);
        csv += fmt::format("{},{}\n", csvText(field.key), csvText(fieldValueText(value)));
        values[field.key] = toJson(value);
    }
    return request.format == "json" ? jsonText(values) : csv;
}

/// The trace asked for by file name or step, else the newest.
Result<fs::path> traceFile(const store::RunReader& reader, const Request& request) {
    const auto rows = reader.traces();
    std::vector<std::string> names;
    for (auto row = rows.rbegin(); row != rows.rend(); ++row) {
        names.push_back(row->path);
        const bool chosen = request.trace.empty() || request.trace == row->path ||
                            request.trace == fs::path(row->path).filename() ||
                            request.trace == std::to_string(row->step);
        if (chosen) return reader.folder() / row->path;
    }
    return requestError("export.no_trace",
                        names.empty() ? "the run has no recorded trace" : "there is no such trace")
        .in(request.run)
        .at(request.trace)
        .fix(names.empty() ? "kurve trace records one" : "there are " + join(names, ", "));
}

const char* stateName(std::uint8_t state) {
    static constexpr const char* kNames[] = {"given", "masked", "new", "kept", "flip", "remask", "pad"};
    return kNames[state];
}

std::string traceCsv(const trace::Trace& t) {
    std::string csv = "step,t,log_snr,slot,token,piece,state,confidence,entropy,margin\n";
    for (int step = 0; step < t.steps; ++step)
        for (int slot = 0; slot < t.slots; ++slot) {
            const auto i = t.cell(step, slot);
            const auto s = static_cast<std::size_t>(step);
            const auto piece = t.pieces.find(t.tokens[i]);
            csv += fmt::format("{},{},{},{},{},{},{},{:.6g},{:.6g},{:.6g}\n", step, t.t[s], t.logSnr[s], slot,
                               t.tokens[i], csvText(piece == t.pieces.end() ? "" : piece->second),
                               stateName(t.state[i]), t.confidence[i], t.entropy[i], t.margin[i]);
        }
    return csv;
}

json traceJson(const trace::Trace& t) {
    json frames = json::array();
    for (int step = 0; step < t.steps; ++step) {
        const auto s = static_cast<std::size_t>(step);
        json frame{{"step", step}, {"t", t.t[s]}, {"log_snr", jsonNumber(t.logSnr[s])}};
        for (int slot = 0; slot < t.slots; ++slot) {
            const auto i = t.cell(step, slot);
            frame["tokens"].push_back(t.tokens[i]);
            frame["state"].push_back(stateName(t.state[i]));
            frame["confidence"].push_back(t.confidence[i]);
            frame["entropy"].push_back(t.entropy[i]);
            frame["margin"].push_back(t.margin[i]);
        }
        frames.push_back(std::move(frame));
    }
    json pieces = json::object();
    for (const auto& [id, text] : t.pieces) pieces[std::to_string(id)] = text;
    return {{"meta", t.meta}, {"steps", t.steps}, {"slots", t.slots}, {"pieces", pieces}, {"frames", frames}};
}

Result<std::string> traces(const store::RunReader& reader, const Request& request) {
    KURVE_TRY(const fs::path file, traceFile(reader, request));
    if (request.format == "safetensors") return readFile(file);
    KURVE_TRY(const trace::Trace recorded, trace::readTrace(file));
    return request.format == "json" ? jsonText(traceJson(recorded)) : traceCsv(recorded);
}

Status checkFormat(Request& request) {
    static const std::map<std::string, std::vector<std::string>> kFormats{
        {"scalars", {"csv", "json"}},
        {"samples", {"csv", "json"}},
        {"config", {"toml", "json", "csv"}},
        {"trace", {"json", "csv", "safetensors"}}};
    const auto& allowed = kFormats.at(request.what);
    if (request.format.empty()) request.format = allowed.front();
    if (std::find(allowed.begin(), allowed.end(), request.format) != allowed.end()) return {};
    return requestError("export.format", request.what + " cannot be written as " + request.format)
        .at("--format")
        .fix("choose " + join(allowed, " or "));
}

Result<std::string> contentOf(const CommonOptions& common, const Request& request) {
    if (request.what == "config") return config(common, request);
    KURVE_TRY(const auto folder, findRun(common, request.run));
    KURVE_TRY(const auto reader, store::RunReader::open(folder));
    auto content = request.what == "scalars"   ? scalars(*reader, request)
                   : request.what == "samples" ? samples(*reader, request)
                                               : traces(*reader, request);
    KURVE_CHECKED(reader->lastError());
    return content;
}

Status exportRun(const CommonOptions& common, Request request, Output& out) {
    KURVE_CHECKED(checkFormat(request));
    std::error_code ignored;
    if (request.out != "-" && !common.force && fs::exists(request.out, ignored))
        return requestError("io.exists", "the file exists")
            .in(request.out)
            .fix("choose another --out, or add --force");
    KURVE_TRY(const std::string content, contentOf(common, request));
    json document{
        {"run", request.run}, {"what", request.what}, {"format", request.format}, {"bytes", content.size()}};
    if (request.out == "-") {
        document["content"] = content;
        out.result(document, content);
        return {};
    }
    KURVE_CHECKED(writeFileAtomically(request.out, content));
    document["file"] = request.out;
    out.result(document, fmt::format("{} bytes written to {}", content.size(), request.out));
    return {};
}

}  // namespace

Action setupExport(CLI::App& app) {
    auto request = std::make_shared<Request>();
    app.add_option("run", request->run, "id or folder of a run")->required();
    app.add_option("--what", request->what, "scalars (every logged point), samples, config or trace")
        ->check(CLI::IsMember({"scalars", "samples", "config", "trace"}));
    app.add_option("--format", request->format, "csv, json; toml for config; safetensors for a trace");
    app.add_option("--out", request->out, "file to write; - is the standard output")->type_name("FILE");
    app.add_option("--metric", request->metrics, "only this metric, repeatable")->allow_extra_args(false);
    app.add_option("--trace", request->trace, "file name or step of a recorded trace (default: the newest)");
    return [request](const CommonOptions& common, Output& out) { return exportRun(common, *request, out); };
}

}  // namespace kurve::engine
