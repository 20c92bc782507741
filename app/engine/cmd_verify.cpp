#include <fmt/format.h>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/replay_run.h"
#include "app/engine/run_access.h"
#include "app/engine/verify_corpora.h"
#include "core/base/hash.h"
#include "core/store/query.h"
#include "core/store/recording_trash.h"
#include "core/trace/trace.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// What was looked at and what is wrong with it.
struct Report {
    std::int64_t checked = 0;
    std::vector<Error> problems;

    /// Counts one checked thing and keeps its failure.
    void add(const Status& status) {
        ++checked;
        if (!status) problems.push_back(status.error());
    }
};

Status checkHash(const fs::path& file, const std::string& expected) {
    KURVE_TRY(const std::string found, sha256File(file));
    if (found == expected) return {};
    return workError("verify.hash",
                     fmt::format("its SHA-256 is {:.12}…, recorded was {:.12}…", found, expected))
        .in(file.string())
        .fix("the file was changed or damaged; take another copy");
}

Status checkDatabase(const fs::path& file) {
    KURVE_TRY(const auto problems, store::integrityProblems(file));
    if (problems.empty()) return {};
    return workError("store.damaged", fmt::format("{} ({} findings)", problems.front(), problems.size()))
        .in(file.string())
        .fix("take another copy of the run");
}

Status checkPoints(const store::RunReader& reader) {
    for (const auto& metric : reader.metrics()) {
        store::SeriesCursor cursor;
        store::Series series;
        reader.points(metric, cursor, series);
    }
    return reader.lastError();
}

Status checkCheckpoint(const fs::path& run, const store::CheckpointRow& row) {
    const fs::path folder = run / row.path;
    if (const auto state = train::readCheckpoint(folder); !state) return state.error();
    return checkHash(folder / "state.json", row.sha256);
}

Status checkTrace(const fs::path& run, const store::TraceRow& row) {
    const fs::path trashed = store::findInTrash(run, row.path).value_or(fs::path());
    const fs::path file = trashed.empty() ? run / row.path : trashed;
    KURVE_CHECKED(checkHash(file, row.sha256));
    if (const auto recorded = trace::readTrace(file); !recorded) return recorded.error();
    return {};
}

void checkRun(const fs::path& folder, CorpusCheck* maybeCorpora, Report& report) {
    const auto reader = store::RunReader::open(folder);
    if (!reader) return report.add(reader.error());
    report.add(checkDatabase(folder / "run.db"));
    report.add(checkPoints(**reader));
    for (const auto& row : (*reader)->checkpoints()) report.add(checkCheckpoint(folder, row));
    for (const auto& row : (*reader)->traces()) report.add(checkTrace(folder, row));
    if (maybeCorpora != nullptr) maybeCorpora->addRun(folder.filename().string(), **reader);
}

void addFindings(const CorpusCheck& corpora, Report& report) {
    for (const auto& finding : corpora.findings()) report.add(finding);
}

void checkProject(const store::Project& project, Report& report) {
    std::error_code ignored;
    if (const auto file = store::ProjectIndex::fileOf(project); fs::exists(file, ignored)) {
        const auto index = store::ProjectIndex::open(project);
        report.add(index ? checkDatabase(file) : Status(index.error()));
    }
    std::vector<fs::path> runs;
    for (const auto& entry : fs::directory_iterator(project.runsFolder(), ignored))
        if (fs::exists(entry.path() / "run.db", ignored)) runs.push_back(entry.path());
    std::sort(runs.begin(), runs.end());
    CorpusCheck corpora(project.folder());
    corpora.addImports(CorpusCheck::Imports::All);
    for (const auto& run : runs) checkRun(run, &corpora, report);
    addFindings(corpora, report);
}

/// A run that was copied out of its project has no corpora to compare.
void checkRunAlone(const CommonOptions& common, const fs::path& run, Report& report) {
    const auto project = projectFor(common, run);
    if (!project) return checkRun(run, nullptr, report);
    CorpusCheck corpora(project->folder());
    checkRun(run, &corpora, report);
    corpora.addImports(CorpusCheck::Imports::OfRuns);
    addFindings(corpora, report);
}

void show(const Report& report, Output& out) {
    json problems = json::array();
    std::string text;
    for (const auto& problem : report.problems) {
        problems.push_back(errorJson(problem)["error"]);
        text += problem.text() + "\n";
    }
    text += fmt::format("{} checked, {} problem{}", report.checked, report.problems.size(),
                        report.problems.size() == 1 ? "" : "s");
    out.result({{"ok", report.problems.empty()}, {"checked", report.checked}, {"problems", problems}}, text);
    if (!report.problems.empty()) out.exitCode(1);
}

/// `target` is a project folder, a run's folder or id; empty: the project around here.
Status verify(const CommonOptions& common, const std::string& target, bool repair, Output& out) {
    Report report;
    std::error_code ignored;
    const bool isProject = target.empty() || fs::exists(fs::path(target) / "project.toml", ignored);
    if (isProject) {
        KURVE_TRY(const auto project, target.empty() ? projectFor(common, fs::current_path(ignored))
                                                     : store::Project::open(target));
        if (repair) KURVE_CHECKED(store::ProjectIndex::repair(project));
        checkProject(project, report);
    } else {
        KURVE_TRY(const fs::path run, findRun(common, target));
        if (repair) {
            KURVE_TRY(const auto project, projectFor(common, run));
            KURVE_CHECKED(store::ProjectIndex::repair(project));
        }
        checkRunAlone(common, run, report);
    }
    show(report, out);
    return {};
}

}  // namespace

Action setupVerify(CLI::App& app) {
    struct VerifyRequest {
        std::string target;
        bool repair = false;
        ReplayChoice replay;
    };
    auto request = std::make_shared<VerifyRequest>();
    app.add_option("target", request->target, "a run or a project folder (default: the project around here)");
    app.add_flag("--repair", request->repair, "rebuild the project's index.db from its runs first");
    auto* replay = app.add_flag(
        "--replay", "train a stretch of the run again and compare it with what is stored, bit for bit");
    app.add_option("--from", request->replay.from, "where the stretch begins: a checkpoint, or start")
        ->needs(replay);
    app.add_option("--to", request->replay.to, "where it ends (default: the last checkpoint)")->needs(replay);
    return [request, replay](const CommonOptions& common, Output& out) {
        if (replay->count() > 0) return replayRun(common, request->target, request->replay, out);
        return verify(common, request->target, request->repair, out);
    };
}

}  // namespace kurve::engine
