#include <fmt/format.h>

#include <algorithm>

#include "app/engine/commands.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "app/engine/verify_corpora.h"
#include "core/base/counted.h"
#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/printable.h"
#include "core/store/query.h"
#include "core/store/run_check.h"
#include "core/store/run_mirror.h"
#include "core/store/trace_trash.h"
#include "core/text/run_tokenizers.h"
#include "core/text/tokenizer.h"
#include "core/trace/trace.h"
#include "core/train/checkpoint_manager.h"
#include "core/train/common_fields.h"
#include "core/train/run_reference.h"
#include "models/families.h"

namespace kurve::engine {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

/// What was checked and what is wrong with it.
struct Report {
    bool thorough = false;
    std::int64_t checked = 0;
    std::vector<Error> problems;

    /// Counts one checked thing and keeps its failure.
    void add(const Status& status) {
        ++checked;
        if (!status) problems.push_back(status.error());
    }
    void addAll(const Result<std::vector<Error>>& found) {
        ++checked;
        if (!found) return problems.push_back(found.error());
        problems.insert(problems.end(), found->begin(), found->end());
    }
};

Error otherFile(const fs::path& file, std::string what) {
    return workError("verify.hash", std::move(what))
        .in(file.string())
        .fix("the file was changed or damaged; take another copy");
}

Status checkHash(const fs::path& file, const std::string& expected) {
    KURVE_TRY(const std::string found, sha256File(file));
    if (found == expected) return {};
    return otherFile(file, fmt::format("its SHA-256 is {:.12}…, recorded was {:.12}…", found, expected));
}

Status checkDatabase(const fs::path& file, const Result<std::vector<std::string>>& found) {
    KURVE_TRY(const auto problems, found);
    if (problems.empty()) return {};
    return workError("store.damaged", fmt::format("{} ({} findings)", problems.front(), problems.size()))
        .in(file.string())
        .fix("take another copy of the run");
}

Status checkCheckpoint(const fs::path& run, const store::CheckpointRow& row) {
    KURVE_TRY(const fs::path folder, row.path.in(run));
    if (const auto state = train::readCheckpoint(folder, row.bytes); !state) return state.error();
    return checkHash(folder / "state.json", row.sha256);
}

Status checkTrace(const fs::path& run, const store::TraceRow& row) {
    const auto trashed = store::findInTrash(run, row.path);
    KURVE_TRY(const fs::path file, trashed.value_or(row.path).in(run));
    KURVE_TRY(const InputFile found, InputFile::open(file));
    if (trashed && found.bytes() == 0) return {};                // deleted here, another machine has it
    if (found.bytes() != static_cast<std::uint64_t>(row.bytes))  // as large as it likes: it is not hashed
        return otherFile(file, fmt::format("holds {} bytes, recorded were {}", found.bytes(), row.bytes));
    KURVE_CHECKED(checkHash(file, row.sha256));
    if (const auto recorded = trace::readTrace(file); !recorded) return recorded.error();
    return {};
}

/// A run that trains prunes and replaces checkpoints meanwhile: what its record no longer has is no damage.
/// Nor is what a copy of another machine's run lacks: it can be fetched.
Status checkCheckpoints(const fs::path& run, const store::RunReader& reader, Report& report) {
    const bool isCopy = reader.values().contains(store::kMachineKey);
    for (const auto& row : reader.checkpoints()) {
        if (isCopy && !row.path.isIn(run)) continue;
        Status status = checkCheckpoint(run, row);
        const auto now = reader.checkpoints();
        const bool stands = std::any_of(now.begin(), now.end(), [&](const auto& other) {
            return other.path == row.path && other.sha256 == row.sha256;
        });
        if (status || stands) report.add(status);
    }
    return reader.lastError();
}

/// The run's own copies.
Status checkOwnTokenizers(const fs::path& run, const std::map<std::string, std::string>& values) {
    KURVE_TRY(const text::Tokenizers own, text::loadRunTokenizers(run));
    const std::tuple<const char*, const text::Tokenizer&, const fs::path&> sides[] = {
        {"source_tokenizer_hash", *own.source, own.sourceFolder},
        {"tokenizer_hash", *own.target, own.targetFolder}};
    for (const auto& [key, tokenizer, folder] : sides) {
        KURVE_CHECKED(text::checkTokenizer(folder));
        const auto recorded = values.find(key);
        if (recorded == values.end() || recorded->second != tokenizer.hash())
            return otherFile(folder, "is not the tokenizer that the run was trained with");
    }
    return {};
}

/// The copies of the runs that it is built on, and of those below them.
void checkReferences(const fs::path& folder, const std::vector<train::PinnedRun>& pins, Report& report) {
    for (const auto& pin : pins) {
        if (pin.field == train::kInitFrom) continue;
        const auto copy = train::openCopy(folder, pin, models::schemaLookup());
        report.add(copy ? Status() : Status(copy.error()));
        std::vector<train::PinnedRun> below = pin.references;
        std::erase_if(below, [](const auto& inner) { return !train::buildsOn(inner.field); });
        if (copy) checkReferences(copy->folder, below, report);
    }
}

void checkRun(const fs::path& folder, CorpusCheck* maybeCorpora, Report& report) {
    const auto reader = store::RunReader::open(folder);
    if (!reader) return report.add(reader.error());
    report.add(checkDatabase(folder / "run.db", store::runProblems(folder, report.thorough)));
    report.addAll(store::pathProblems(folder));
    report.add(checkCheckpoints(folder, **reader, report));
    for (const auto& row : (*reader)->traces()) report.add(checkTrace(folder, row));
    if (const auto values = (*reader)->values();
        values.contains("tokenizer_hash"))  // imported runs have none
        report.add(checkOwnTokenizers(folder, values));
    if (const auto values = (*reader)->values(); values.contains("references"))
        checkReferences(folder, train::pinsFrom(values.at("references")), report);
    if (maybeCorpora != nullptr) maybeCorpora->addRun(folder.filename().string(), **reader);
    if (const Status read = (*reader)->lastError(); !read) report.add(read);
}

/// Those of the project. One that is not there can be trained again.
void checkTokenizers(const fs::path& project, Report& report) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(project / "data" / "tokenizers", ignored))
        if (entry.is_directory(ignored) && !entry.path().filename().string().starts_with("."))
            report.add(text::checkTokenizer(entry.path()));
}

/// Brings the record of a run in line with the checkpoints that are there. One that is being trained keeps it
/// itself, and that of a copy is its machine's.
Status alignRun(const fs::path& folder) {
    std::vector<store::CheckpointRow> recorded;
    {
        const auto reader = store::RunReader::open(folder);
        if (!reader) return {};  // the check says why
        if ((*reader)->values().contains(store::kMachineKey)) return {};
        recorded = (*reader)->checkpoints();
    }
    std::error_code ignored;
    const auto present = train::presentCheckpoints(folder, recorded);
    const bool asRecorded =
        present.size() == recorded.size() &&
        std::all_of(present.begin(), present.end(), [](const auto& row) { return row.saved != 0; });
    if (asRecorded) return {};
    const auto writer = store::RunWriter::open(folder);
    if (!writer) return writer.error().code == "store.locked" ? Status() : Status(writer.error());
    train::alignRecord(folder, **writer, recorded);
    return (*writer)->flush();
}

std::vector<fs::path> runsOf(const store::Project& project) {
    std::vector<fs::path> runs;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(project.runsFolder(), ignored)) {
        std::error_code failed;
        if (fs::exists(entry.path() / "run.db", failed) || failed) runs.push_back(entry.path());
    }
    std::sort(runs.begin(), runs.end());
    return runs;
}

void addFindings(const CorpusCheck& corpora, Report& report) {
    for (const auto& finding : corpora.findings()) report.add(finding);
}

void checkProject(const store::Project& project, Report& report) {
    std::error_code ignored;
    if (const auto file = store::ProjectIndex::fileOf(project); fs::exists(file, ignored)) {
        const auto index = store::ProjectIndex::open(project);
        report.add(index ? checkDatabase(file, store::integrityProblems(file, report.thorough))
                         : Status(index.error()));
    }
    checkTokenizers(project.folder(), report);
    CorpusCheck corpora(project.folder());
    corpora.addImports(CorpusCheck::Imports::All);
    for (const auto& run : runsOf(project)) checkRun(run, &corpora, report);
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
        text += printableLine(problem.text()) + "\n";
    }
    text += fmt::format("{} checked, {}", report.checked, counted(report.problems.size(), "problem"));
    out.result({{"ok", report.problems.empty()}, {"checked", report.checked}, {"problems", problems}}, text);
    if (!report.problems.empty()) out.exitCode(1);
}

struct VerifyRequest {
    std::string target;  ///< a project folder, a run's folder or id; empty: the project of the working folder
    bool repair = false, thorough = false;
};

Status repairProject(const store::Project& project, const std::vector<fs::path>& runs) {
    for (const auto& run : runs) KURVE_CHECKED(alignRun(run));
    return store::ProjectIndex::repair(project);
}

Status verify(const CommonOptions& common, const VerifyRequest& request, Output& out) {
    Report report;
    report.thorough = request.thorough;
    std::error_code ignored;
    const std::string& target = request.target;
    const bool isProject = target.empty() || fs::exists(fs::path(target) / "project.toml", ignored);
    if (isProject) {
        KURVE_TRY(const auto project, target.empty() ? projectFor(common, fs::current_path(ignored))
                                                     : store::Project::open(target));
        if (request.repair) KURVE_CHECKED(repairProject(project, runsOf(project)));
        checkProject(project, report);
    } else {
        KURVE_TRY(const fs::path run, findRun(common, target));
        if (request.repair) {
            KURVE_TRY(const auto project, projectFor(common, run));
            KURVE_CHECKED(repairProject(project, {run}));
        }
        checkRunAlone(common, run, report);
    }
    show(report, out);
    return {};
}

}  // namespace

Action setupVerify(CLI::App& app) {
    auto request = std::make_shared<VerifyRequest>();
    app.add_option("target", request->target,
                   "a run or a project folder (default: the project of the working folder)");
    app.add_flag("--repair", request->repair,
                 "first rebuild the project's index.db from its runs and the lists of checkpoints");
    app.add_flag("--thorough", request->thorough,
                 "run SQLite's full check on the databases, not its quick one");
    return [request](const CommonOptions& common, Output& out) { return verify(common, *request, out); };
}

}  // namespace kurve::engine
