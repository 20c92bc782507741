#include "core/interop/import_run.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/base/clock.h"
#include "core/base/counted.h"
#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/version.h"
#include "core/store/run_writer.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

std::string textOf(const json& value) {
    return value.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// The hash of what was read: one file's own, as sha256sum gives it.
std::string hashOf(const ScalarLog& log) {
    if (log.files.size() == 1) return log.files.begin()->second;
    std::string list;
    for (const auto& [name, hash] : log.files) list += hash + "  " + name + "\n";
    return sha256(list);
}

std::string sourceName(const fs::path& source) {
    const fs::path plain = fs::absolute(source).lexically_normal();
    return (plain.has_filename() ? plain : plain.parent_path()).filename().string();
}

std::string nameOf(const ImportRequest& request, const ScalarLog& log) {
    const std::string base = request.name.empty() ? sourceName(request.source) : request.name;
    return log.name.empty() ? base : base + "/" + log.name;
}

/// A folder beside runs/ that becomes a run when everything is written, and vanishes otherwise.
class DraftFolder {
public:
    DraftFolder(const store::Project& project, std::string id)
        : id_(std::move(id)), path_(project.folder() / (".import-" + id_)), target_(project.runFolder(id_)) {}
    DraftFolder(const DraftFolder&) = delete;
    DraftFolder& operator=(const DraftFolder&) = delete;
    ~DraftFolder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    [[nodiscard]] const fs::path& path() const { return path_; }
    [[nodiscard]] const std::string& id() const { return id_; }

    Status keep() {
        std::error_code problem;
        fs::create_directories(target_.parent_path(), problem);
        fs::rename(path_, target_, problem);
        if (!problem) return {};
        return workError("io.write", "cannot move the run to its folder: " + problem.message())
            .in(target_.string());
    }

private:
    std::string id_;
    fs::path path_, target_;
};

Status checkId(const std::string& id, const store::Project& project) {
    constexpr std::size_t kLongestRunId = 100;
    if (!isPlainName(id) || id.size() > kLongestRunId)
        return requestError("run.bad_id", "\"" + id + "\" is not a valid run id")
            .at("--run")
            .fix("use letters, digits, dot, dash and underscore; begin with no dot or dash");
    std::error_code ignored;
    if (fs::exists(project.runFolder(id), ignored))
        return requestError("run.exists", "the run \"" + id + "\" exists already")
            .in(project.runFolder(id).string())
            .at("--run")
            .fix("choose another id");
    return {};
}

std::string freeId(const store::Project& project, const std::vector<std::unique_ptr<DraftFolder>>& drafts) {
    while (true) {
        std::string id = newRunId();
        const bool isTaken =
            std::any_of(drafts.begin(), drafts.end(), [&](const auto& d) { return d->id() == id; });
        std::error_code ignored;
        if (!isTaken && !fs::exists(project.runFolder(id), ignored)) return id;
    }
}

/// The same bytes are imported once.
Status checkNew(const std::vector<ScalarLog>& logs, const store::Project& project,
                const ImportRequest& request) {
    KURVE_TRY(const auto index, store::ProjectIndex::openRepaired(project));
    if (request.notify && !index->notice().empty()) request.notify(index->notice());
    KURVE_TRY(const auto changed, index->refresh());
    KURVE_TRY(const auto runs, index->runs());
    for (const auto& run : runs) {
        if (run.family != kImportedFamily) continue;
        const auto reader = store::RunReader::open(project.runFolder(run.id));
        if (!reader) continue;
        const auto values = (*reader)->values();
        const auto hash = values.find("source_sha256"), name = values.find("source_run");
        for (const auto& log : logs)
            if (hash != values.end() && hash->second == hashOf(log) && name != values.end() &&
                name->second == log.name)
                return requestError("import.exists", "already imported as run " + run.id)
                    .in(hash == values.end() ? "" : values.at("source"))
                    .fix("--force imports it once more");
    }
    return {};
}

void writeFacts(store::RunWriter& writer, const ImportRequest& request, const std::string& format,
                const ScalarLog& log, const ImportedRun& run) {
    const auto [started, ended] = log.wallRange();
    const json settings{{"import.source", sourceName(request.source)}, {"import.format", format}};
    const json environment{{"version", versionText()}, {"commit", commitText()}};
    writer.set("id", run.id);
    writer.set("name", run.name);
    writer.set("family", kImportedFamily);
    writer.set("settings", textOf(settings));
    writer.set("environment", textOf(environment));
    writer.set("source", run.source);
    writer.set("source_run", log.name);
    writer.set("source_format", format);
    writer.set("source_sha256", run.sha256);
    writer.set("source_files", textOf(json(log.files)));
    writer.set("imported", fmt::format("{:.17g}", wallSeconds()));
    writer.set("started", fmt::format("{:.17g}", started));
    writer.set("ended", fmt::format("{:.17g}", ended));
    writer.set("total_steps", std::to_string(run.lastStep));
    writer.set("state", "completed");
    writer.set("reason", "imported from " + sourceName(request.source));
    writer.event(0, "imported",
                 fmt::format("{} of {} from {}", counted(run.points, "point"),
                             counted(run.metrics.size(), "metric"), run.source));
    for (const auto& text : log.notes) writer.event(0, "warning", text);
}

Status writePoints(store::RunWriter& writer, const ScalarLog& log, const CancelToken& cancel) {
    constexpr std::int64_t kAtOnce = 200'000;  // the writer's queue is bounded
    std::int64_t queued = 0;
    for (std::size_t i = 0; i < log.attempts.size(); ++i) {
        const auto& attempt = log.attempts[i];
        if (i > 0) writer.beginSegment(attempt.startStep, "restart");
        for (const auto& [metric, series] : attempt.curves)
            for (std::size_t k = 0; k < series.size(); ++k) {
                writer.scalar(metric, series.step[k], series.wall[k], series.value[k]);
                if (++queued % kAtOnce != 0) continue;
                KURVE_CHECKED(writer.flush());
                if (cancel.requested()) return requestError("cancelled", "import cancelled");
            }
    }
    return writer.flush();
}

ImportedRun describe(const ImportRequest& request, const ScalarLog& log, const std::string& id) {
    ImportedRun run;
    run.id = id;
    run.name = nameOf(request, log);
    run.source = fs::absolute(request.source).lexically_normal().string();
    run.sha256 = hashOf(log);
    run.metrics = log.metrics();
    run.points = log.points();
    run.lastStep = log.lastStep();
    run.attempts = static_cast<std::int64_t>(log.attempts.size());
    run.notes = log.notes;
    return run;
}

}  // namespace

Result<std::vector<ImportedRun>> importRuns(const ImportRequest& request, const store::Project& project) {
    std::error_code ignored;
    if (!fs::exists(request.source, ignored))
        return requestError("io.open", "no such file or folder").in(request.source.string());
    KURVE_TRY(const LogFormat* format, findLogFormat(request.format, request.source));
    KURVE_TRY(const auto logs, format->read(request.source, request.reading));
    if (!request.run.empty()) {
        KURVE_CHECKED(checkId(request.run, project));
        if (logs.size() > 1)
            return requestError("import.several", fmt::format("{} runs for one id", logs.size()))
                .in(request.source.string())
                .at("--run")
                .fix("leave --run out, or import one of its folders");
    }
    if (!request.force) KURVE_CHECKED(checkNew(logs, project, request));
    std::vector<std::unique_ptr<DraftFolder>> drafts;
    std::vector<ImportedRun> runs;
    for (const auto& log : logs) {
        std::string id = request.run.empty() ? freeId(project, drafts) : request.run;
        drafts.push_back(std::make_unique<DraftFolder>(project, std::move(id)));
        runs.push_back(describe(request, log, drafts.back()->id()));
        KURVE_TRY(const auto writer, store::RunWriter::open(drafts.back()->path()));
        writeFacts(*writer, request, format->id, log, runs.back());
        KURVE_CHECKED(writePoints(*writer, log, request.cancel));
    }
    for (const auto& draft : drafts) KURVE_CHECKED(draft->keep());
    return runs;
}

json toJson(const ImportedRun& run) {
    return {{"run", run.id},
            {"name", run.name},
            {"source", run.source},
            {"sha256", run.sha256},
            {"metrics", run.metrics},
            {"points", run.points},
            {"last_step", run.lastStep},
            {"attempts", run.attempts},
            {"notes", run.notes}};
}

}  // namespace kurve::interop
