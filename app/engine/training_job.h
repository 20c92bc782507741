#pragma once

#include <string>

#include "app/engine/command.h"
#include "app/engine/ranks.h"
#include "core/store/project.h"
#include "core/train/dry_run.h"
#include "core/train/session.h"

namespace kurve::engine {

struct TrainingJob {
    struct {
        std::int64_t maxSteps = 0;
        double maxSeconds = 0;
    } limits;
    std::string run;  ///< id of the new run; empty = make one
    RankOptions ranks = {};
};
/// Of a rank other than 0, which has nothing to tell, without a state.
using TrainedRun = train::SessionResult;

/// Where a run of that id will lie. Errors: run.exists, run.bad_id.
Result<std::filesystem::path> newRunFolder(const store::Project& project, const std::string& id);
/// Trains a new run of an experiment, obeying the wire (control_link.h). Errors: experiment.*, config.*,
/// data.*, run.exists, run.bad_id, device.*, store.*, distributed.*.
Result<TrainedRun> trainExperiment(const CommonOptions& common, const std::string& experiment,
                                   const TrainingJob& job);
/// Goes on with the newest run of the experiment, with the settings that it has now, if it was cut off
/// (killed, stopped, failed, no sign of life from its machine) and has a checkpoint; else trains a new run.
/// Waits up to 40 s for the news of a run that may have ended. Errors: resume.running; as trainExperiment and
/// resumeRun.
Result<TrainedRun> resumeLatest(const CommonOptions& common, const std::string& experiment,
                                const TrainingJob& job);
/// Measures a training without doing it: step time, memory, the time it will take. Errors: as
/// trainExperiment.
Result<train::DryRunReport> dryRunExperiment(const CommonOptions& common, const std::string& experiment,
                                             const TrainingJob& job);
/// Memory need on its device, and what is free there.
struct MemoryEstimate {
    train::MemoryNeed need;
    std::optional<std::int64_t> free;
    std::string device;
};
/// From the settings and the prepared data alone, in a second; of --nproc processes. Errors: as
/// trainExperiment, but for memory.exceeds_free; data.not_prepared.
Result<MemoryEstimate> estimateExperiment(const CommonOptions& common, const std::string& experiment,
                                          const TrainingJob& job);
/// Goes on with a run from one of its checkpoints. Errors: run.missing, checkpoint.*, store.locked,
/// resume.settings, distributed.*.
Result<TrainedRun> resumeRun(const CommonOptions& common, const std::string& run,
                             const std::string& checkpoint, const TrainingJob& job);
/// Trains a run again from its start with the same settings, plan, live changes, threads and device, as a
/// new run that names it (fact `reproduces`); a fork from the checkpoint that it began from. Errors:
/// run.missing, reproduce.*.
Result<TrainedRun> reproduceRun(const CommonOptions& common, const std::string& run, const TrainingJob& job);
struct ForkedRun {
    std::string id;
    std::int64_t step = 0, total = 0;  ///< where it begins, and where its plan ends: perhaps not beyond
};
/// Makes a run with --set changes whose first checkpoint is that of another. Errors: checkpoint.*,
/// fork.init_from.
Result<ForkedRun> forkRun(const CommonOptions& common, const std::string& run, const std::string& checkpoint,
                          const std::string& newRun);

/// {"run","state","steps","metrics",…,"machine"} or for people the main numbers, and the exit code; a failed
/// run is an error. `machine`: another one that trained it.
Status report(const TrainedRun& trained, Output& out, const std::string& machine = {});
[[nodiscard]] nlohmann::json toJson(const TrainedRun& trained);
/// {"parameters","memory_mb","free_memory_mb","fits","problem",…} and a text for people.
void report(const MemoryEstimate& estimate, Output& out);
/// {"parameters","step_seconds","peak_memory_mb","eta_seconds",…}
[[nodiscard]] nlohmann::json toJson(const train::DryRunReport& measured);
/// That and a text for people.
void reportDryRun(const nlohmann::json& measured, Output& out);

}  // namespace kurve::engine
