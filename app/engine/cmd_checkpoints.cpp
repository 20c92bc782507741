#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "app/engine/commands.h"
#include "app/engine/control_client.h"
#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "core/base/text.h"
#include "core/store/run_mirror.h"
#include "core/store/run_process.h"
#include "core/store/run_writer.h"
#include "core/train/checkpoint_manager.h"

namespace kurve::engine {
namespace {

using nlohmann::json;

struct CheckpointsRequest {
    std::string run;
    std::vector<std::string> pin, unpin;
    std::size_t keepLast = 0, keepBest = 0;
    bool otherLast = false, otherBest = false, prune = false;  ///< the numbers were given
};

train::RetentionPolicy policyOf(const OpenRun& run, const CheckpointsRequest& request) {
    auto policy = train::RetentionPolicy::of(run.config);
    if (request.otherLast) policy.last = request.keepLast;
    if (request.otherBest) policy.best = request.keepBest;
    return policy;
}

/// A copy's record is that of its machine. Errors: remote.copy.
Status checkNoCopy(const OpenRun& run) {
    const auto machine = run.values.find(store::kMachineKey);
    if (machine == run.values.end()) return {};
    return requestError("remote.copy",
                        "is the copy of a run of " + machine->second + ", which keeps its checkpoints there")
        .in(run.folder.string())
        .fix("pin and prune there: kurve checkpoints " + run.id);
}

/// Removes checkpoints without a reason to keep. A run that trains does that itself, by its own settings.
Status prune(const OpenRun& run, const train::RetentionPolicy& policy) {
    KURVE_CHECKED(checkNoCopy(run));
    KURVE_TRY(const auto writer, store::RunWriter::open(run.folder));
    const auto reasons = policy.reasonsFor(run.checkpoints);
    // The record first: killed in between, a checkpoint without an entry is found again, never the reverse.
    for (std::size_t i = 0; i < run.checkpoints.size(); ++i)
        if (!reasons[i].any()) writer->removeCheckpoint(run.checkpoints[i].path);
    KURVE_CHECKED(writer->flush());
    for (std::size_t i = 0; i < run.checkpoints.size(); ++i) {
        if (reasons[i].any()) continue;
        KURVE_CHECKED(run.checkpoints[i].path.removeFrom(run.folder));
    }
    return {};
}

/// Through the engine that trains the run or follows it, if one does: it is the only writer then.
Status setPinned(const OpenRun& run, const store::CheckpointRow& row, bool pinned) {
    if (!store::writerRunsHere(run.folder, run.values)) KURVE_CHECKED(checkNoCopy(run));
    {
        const auto writer = store::RunWriter::open(run.folder);
        if (writer) {
            (*writer)->pinCheckpoint(row.path, pinned);
            return (*writer)->flush();
        }
        if (writer.error().code != "store.locked") return writer.error();
    }
    KURVE_TRY(const wire::Message answer,
              askEngine(run.folder, {"pin", "pin", {{"step", row.step}, {"pinned", pinned}}}));
    return {};
}

std::vector<std::string> namesOf(const train::RetentionPolicy::Reasons& reasons) {
    std::vector<std::string> names;
    if (reasons.newest) names.emplace_back("newest");
    if (reasons.best) names.emplace_back("best");
    if (reasons.pinned) names.emplace_back("pinned");
    return names;
}

void show(const OpenRun& run, const train::RetentionPolicy& policy, Output& out) {
    const auto reasons = policy.reasonsFor(run.checkpoints);
    const std::string metric = run.config.text("checkpoint.metric");
    json list = json::array();
    std::string text = fmt::format("{:>10}  {:>12}  {:>10}  kept as\n", "step", metric, "MB");
    std::int64_t bytes = 0, freed = 0;
    for (std::size_t i = 0; i < run.checkpoints.size(); ++i) {
        const auto& row = run.checkpoints[i];
        const auto reasonNames = namesOf(reasons[i]);
        bytes += row.bytes;
        if (reasonNames.empty()) freed += row.bytes;
        list.push_back({{"step", row.step},
                        {"path", row.path.text()},
                        {"sha256", row.sha256},
                        {"metric", std::isnan(row.metric) ? json() : jsonNumber(row.metric)},
                        {"bytes", row.bytes},
                        {"pinned", row.pinned},
                        {"kept_as", reasonNames}});
        text += fmt::format("{:>10}  {:>12}  {:>10.2f}  {}\n", row.step,
                            std::isnan(row.metric) ? "-" : fmt::format("{:.4g}", row.metric),
                            static_cast<double>(row.bytes) / 1e6, join(reasonNames, ", "));
    }
    out.result({{"run", run.id},
                {"metric", metric},
                {"keep_last", policy.last},
                {"keep_best", policy.best},
                {"bytes", bytes},
                {"prunable_bytes", freed},
                {"checkpoints", std::move(list)}},
               text);
}

Status listOrPin(const CommonOptions& common, const CheckpointsRequest& request, Output& out) {
    KURVE_TRY(OpenRun run, openRun(common, request.run));
    const std::pair<const std::vector<std::string>*, bool> requests[] = {{&request.pin, true},
                                                                         {&request.unpin, false}};
    for (const auto& [names, pinned] : requests)
        for (const auto& name : *names) {
            KURVE_TRY(const store::CheckpointRow row, findCheckpoint(run, name));
            KURVE_CHECKED(setPinned(run, row, pinned));
        }
    if (!request.pin.empty() || !request.unpin.empty()) {
        KURVE_TRY(run, openRun(common, request.run));
    }
    if (request.prune) {
        KURVE_CHECKED(prune(run, policyOf(run, request)));
        KURVE_TRY(run, openRun(common, request.run));
    }
    show(run, policyOf(run, request), out);
    return {};
}

}  // namespace

Action setupCheckpoints(CLI::App& app) {
    auto request = std::make_shared<CheckpointsRequest>();
    app.add_option("run", request->run, "run id or folder")->required();
    app.add_option("--pin", request->pin,
                   "pin this checkpoint (last, best, a step): never pruned; repeatable")
        ->type_name("C")
        ->allow_extra_args(false);
    app.add_option("--unpin", request->unpin, "unpin this checkpoint; repeatable")
        ->type_name("C")
        ->allow_extra_args(false);
    auto* last = app.add_option("--keep-last", request->keepLast,
                                "number of newest ones to keep (default: checkpoint.keep_last)")
                     ->check(CLI::Range(1, 100000));
    auto* best = app.add_option("--keep-best", request->keepBest,
                                "number of best ones to keep (default: checkpoint.keep_best)")
                     ->check(CLI::Range(0, 100000));
    app.add_flag(
        "--prune", request->prune,
        "remove what is neither newest, best nor pinned (without it only the bytes that would free)");
    return [request, last, best](const CommonOptions& common, Output& out) {
        request->otherLast = last->count() > 0;
        request->otherBest = best->count() > 0;
        return listOrPin(common, *request, out);
    };
}

}  // namespace kurve::engine
