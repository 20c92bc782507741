#include <fmt/format.h>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "core/base/printable.h"
#include "core/base/text.h"
#include "core/interop/import_run.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

/// What was left out is said where it cannot spoil the result.
void logNotes(const interop::ImportedRun& run, const CommonOptions& common) {
    if (common.quiet) return;
    for (const auto& note : run.notes)
        if (note.starts_with(run.name + ":"))  // of an event file: it names the file itself
            logLine("kurve: " + note);
        else
            logLine("kurve: " + run.name + ": " + note);
}

Status importLogs(const CommonOptions& common, interop::ImportRequest request, Output& out) {
    KURVE_TRY(const store::Project project, projectFor(common, std::filesystem::current_path()));
    request.force = common.force;
    request.notify = notifier(common);
    KURVE_TRY(const auto runs, interop::importRuns(request, project));
    json list = json::array();
    std::string text =
        fmt::format("{:<22} {:>8} {:>10} {:>10}  name\n", "run", "metrics", "points", "last step");
    for (const auto& run : runs) {
        logNotes(run, common);
        list.push_back(toJson(run));
        text += fmt::format("{:<22} {:>8} {:>10} {:>10}  {}\n", run.id, run.metrics.size(), run.points,
                            run.lastStep, printableLine(run.name));
    }
    out.result({{"run", runs.front().id}, {"runs", std::move(list)}}, text);
    return {};
}

}  // namespace

Action setupImport(CLI::App& app) {
    auto request = std::make_shared<interop::ImportRequest>();
    std::vector<std::string> known;
    std::string doc = "how it is written (default: by its name):";
    for (const auto& format : interop::logFormats()) {
        known.emplace_back(format.id);
        doc += fmt::format("\n{}: {}", format.id, format.doc);
    }
    app.add_option("file", request->source, "file, or a folder of TensorBoard runs")
        ->required()
        ->type_name("FILE");
    app.add_option("--format", request->format, doc)->check(CLI::IsMember(known));
    app.add_option("--name", request->name, "what the run is called (default: as its file)");
    app.add_option("--run", request->run, "id of the run (default: a new one)")->type_name("ID");
    app.add_flag("--skip-bad", request->reading.skipBad,
                 "skip lines and records that cannot be read, and name them");
    return [request](const CommonOptions& common, Output& out) { return importLogs(common, *request, out); };
}

}  // namespace kurve::engine
