#include <fmt/format.h>

#include <algorithm>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "core/base/file.h"
#include "core/base/text.h"
#include "core/interop/export_run.h"
#include "core/interop/report.h"
#include "core/interop/trace_player.h"
#include "core/interop/trace_svg.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

struct ExportRequest {
    std::vector<std::string> runs, metrics, evaluations, planes;
    std::string what = "scalars", format, out = "-", trace, checkpoint = "last", title;
};

/// What can be exported, in which forms (the first is the default), and whether of several runs at once.
struct Kind {
    const char* what;
    std::vector<std::string> formats;
    bool ofSeveral;
    std::vector<std::string> sections;  ///< of the report that is its html
};
const std::vector<Kind>& kinds() {
    static const std::vector<Kind> list{
        {"scalars", {"csv", "json", "markdown", "safetensors", "html"}, true, {"values", "curves"}},
        {"samples", {"csv", "json", "markdown", "html"}, true, {"prompts"}},
        {"config", {"toml", "json", "csv", "markdown", "html"}, false, {"settings"}},
        {"trace", {"json", "csv", "markdown", "safetensors", "html", "svg"}, false, {}},
        {"weights", {"safetensors", "json", "csv", "markdown"}, false, {}},
        {"report", {"html"}, true, interop::reportSections()},
    };
    return list;
}
const Kind& kindOf(const ExportRequest& request) {
    return *std::find_if(kinds().begin(), kinds().end(),
                         [&](const Kind& k) { return request.what == k.what; });
}

bool isBinary(const ExportRequest& request) {
    return request.format == "safetensors";
}

Status checkRequest(ExportRequest& request, const CommonOptions& common) {
    const Kind& kind = kindOf(request);
    if (request.format.empty()) request.format = kind.formats.front();
    if (std::find(kind.formats.begin(), kind.formats.end(), request.format) == kind.formats.end())
        return requestError("export.format", request.what + " cannot be written as " + request.format)
            .at("--format")
            .fix("choose " + join(kind.formats, " or "));
    const bool isReport = request.format == "html" && !kind.sections.empty();
    if (request.runs.size() > 1 && !kind.ofSeveral && !isReport)
        return requestError("export.one_run",
                            fmt::format("{} as {} is of one run", request.what, request.format))
            .at(request.runs[1])
            .fix("export them one by one");
    const bool toFileOnly = isBinary(request) && (request.what != "trace" || common.json);
    if (request.out == "-" && toFileOnly)
        return requestError("export.needs_file", "safetensors is binary")
            .at("--out")
            .fix("name a file with --out");
    std::error_code ignored;
    if (request.out != "-" && !common.force && fs::exists(request.out, ignored))
        return requestError("io.exists", "the file exists")
            .in(request.out)
            .fix("choose another --out, or add --force");
    return {};
}

/// The runs' folders; their names are the ids, as in the run table.
Result<std::vector<fs::path>> foldersOf(const CommonOptions& common, const ExportRequest& request) {
    std::vector<fs::path> folders;
    for (const auto& name : request.runs) {
        KURVE_TRY(fs::path folder, findRun(common, name));
        folders.push_back(std::move(folder));
    }
    return folders;
}

Result<std::vector<interop::ExportedRun>> openAll(const std::vector<fs::path>& folders) {
    std::vector<interop::ExportedRun> runs;
    for (const auto& folder : folders) {
        KURVE_TRY(auto reader, store::RunReader::open(folder));
        runs.push_back({folder.filename().string(), std::move(reader)});
    }
    return runs;
}

Result<std::string> reportOf(const CommonOptions& common, const ExportRequest& request,
                             const std::vector<fs::path>& folders) {
    KURVE_TRY(const store::Project project, projectFor(common, folders.front()));
    std::vector<std::string> ids;
    for (const auto& folder : folders) {
        std::error_code ignored;
        if (!fs::equivalent(folder.parent_path(), project.runsFolder(), ignored))
            return requestError("report.other_project",
                                "is not a run of the project " + project.folder().string())
                .in(folder.string())
                .fix("copy its folder into the project's runs/");
        ids.push_back(folder.filename().string());
    }
    interop::ReportOptions options;
    options.title = request.title;
    options.sections = kindOf(request).sections;
    options.metrics = request.metrics;
    options.evaluations.assign(request.evaluations.begin(), request.evaluations.end());
    for (const auto& plane : request.planes) {
        const auto colon = plane.find(':');
        if (colon == std::string::npos)
            return requestError("export.plane", "\"" + plane + "\" does not name two metrics")
                .at("--plane")
                .fix("for example --plane chrf:distinct-2");
        options.planes.push_back({plane.substr(0, colon), plane.substr(colon + 1)});
    }
    KURVE_CHECKED(interop::checkPlanes(project, ids, options.planes));
    options.notify = notifier(common);
    return interop::reportHtml(project, ids, options);
}

Result<std::string> traceOf(const ExportRequest& request, const std::vector<fs::path>& folders) {
    KURVE_TRY(const auto runs, openAll(folders));
    KURVE_TRY(const fs::path file, interop::findTrace(runs.front(), request.trace));
    if (isBinary(request)) return readFile(file, kCorpusBytes);
    KURVE_TRY(const trace::Trace recorded, trace::readTrace(file));
    if (request.format == "svg") return interop::traceSvg(recorded);
    return request.format == "html" ? interop::tracePlayerHtml(recorded)
                                    : interop::traceText(recorded, request.format);
}

Result<interop::WeightsSource> weightsOf(const CommonOptions& common, const ExportRequest& request) {
    KURVE_TRY(const OpenRun run, openRun(common, request.runs.front()));
    KURVE_TRY(const ChosenWeights weights, chooseWeights(run, request.checkpoint));
    noteWithoutBest(common, run, request.checkpoint);
    interop::WeightsSource source;
    for (const auto& part : weights.parts) source.checkpoints.push_back(part.folder);
    const bool isMean = weights.parts.size() > 1;
    source.facts = {
        {"run", run.id},
        {"family", run.config.family()},
        {"checkpoint", isMean ? weights.name() : weights.parts.front().folder.filename().string()},
        {"step", std::to_string(weights.step())},
        {"checkpoint_sha256", weights.sha256()},
        {"tokenizer_hash", weights.parts.front().state.tokenizerHash},
        {"config", run.config.canonicalText()}};
    return source;
}

Result<std::string> textOf(const CommonOptions& common, const ExportRequest& request,
                           const std::vector<fs::path>& folders) {
    if (request.what == "trace") return traceOf(request, folders);
    if (request.format == "html") return reportOf(common, request, folders);
    if (request.what == "config") {
        KURVE_TRY(const OpenRun run, openRun(common, request.runs.front()));
        return interop::configText(run.config, request.format);
    }
    if (request.what == "weights") {
        KURVE_TRY(const auto source, weightsOf(common, request));
        return interop::weightsText(source, request.format);
    }
    KURVE_TRY(const auto runs, openAll(folders));
    return request.what == "scalars" ? interop::scalarsText(runs, request.format, request.metrics)
                                     : interop::samplesText(runs, request.format);
}

Status writeBinary(const CommonOptions& common, const ExportRequest& request,
                   const std::vector<fs::path>& folders) {
    if (request.what == "weights") {
        KURVE_TRY(const auto source, weightsOf(common, request));
        return interop::writeWeights(request.out, source);
    }
    KURVE_TRY(const auto runs, openAll(folders));
    return interop::writeScalars(request.out, runs, request.metrics);
}

json documentOf(const ExportRequest& request, const std::vector<fs::path>& folders, std::uintmax_t bytes) {
    json ids = json::array();
    for (const auto& folder : folders) ids.push_back(folder.filename().string());
    json document{{"run", ids.front()},
                  {"runs", ids},
                  {"what", request.what},
                  {"format", request.format},
                  {"bytes", bytes}};
    if (request.out != "-") document["file"] = request.out;
    return document;
}

Status exportRuns(const CommonOptions& common, ExportRequest request, Output& out) {
    KURVE_CHECKED(checkRequest(request, common));
    KURVE_TRY(const auto folders, foldersOf(common, request));
    std::uintmax_t bytes = 0;
    if (isBinary(request) && request.what != "trace") {
        KURVE_CHECKED(writeBinary(common, request, folders));
        bytes = fs::file_size(request.out);
    } else {
        KURVE_TRY(const std::string content, textOf(common, request, folders));
        bytes = content.size();
        if (request.out == "-") {
            json document = documentOf(request, folders, bytes);
            if (isBinary(request)) {
                writeStandardOutput(content);  // not a byte more
            } else {
                document["content"] = content;
                out.content(document, content);
            }
            return {};
        }
        KURVE_CHECKED(writeFileAtomically(request.out, content));
    }
    out.result(documentOf(request, folders, bytes),
               fmt::format("{} bytes written to {}", bytes, request.out));
    return {};
}

std::string formatsText() {
    std::string text = "how to write it (the first is the default):";
    for (const Kind& kind : kinds()) text += fmt::format("\n{}: {}", kind.what, join(kind.formats, ", "));
    return text;
}

}  // namespace

Action setupExport(CLI::App& app) {
    auto request = std::make_shared<ExportRequest>();
    std::vector<std::string> names;
    for (const Kind& kind : kinds()) names.emplace_back(kind.what);
    app.add_option("run", request->runs, "ids or folders of runs; several for scalars, samples and report")
        ->required();
    app.add_option("--what", request->what,
                   "scalars (every logged point), samples, config, trace, weights, or report: a page that "
                   "compares the runs with the first")
        ->check(CLI::IsMember(names));
    app.add_option("--format", request->format, formatsText());
    app.add_option("--out", request->out, "file to write; - is the standard output")->type_name("FILE");
    app.add_option("--metric", request->metrics, "only this metric; repeatable (default: all)")
        ->allow_extra_args(false);
    app.add_option("--trace", request->trace, "file name or step of a trace (default: the newest)");
    app.add_option("--checkpoint", request->checkpoint, kWeightsHelp);
    app.add_option("--eval", request->evaluations,
                   "for a report: a result of kurve eval RUN --json, with scores and intervals; repeatable")
        ->type_name("FILE")
        ->allow_extra_args(false);
    app.add_option(
           "--plane", request->planes,
           "for a report: QUALITY:DIVERSITY, metrics of the runs' sweeps; repeatable (default: those of "
           "most points)")
        ->allow_extra_args(false);
    app.add_option("--title", request->title, "heading of a report");
    return [request](const CommonOptions& common, Output& out) { return exportRuns(common, *request, out); };
}

}  // namespace kurve::engine
