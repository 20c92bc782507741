#pragma once

#include <string>
#include <vector>

#include "app/engine/training_job.h"
#include "core/remote/transfer.h"

namespace kurve::engine {

/// What an experiment needs of its project: project.toml, the experiment, schedules, tokenizers, the corpora
/// that lie in the project, and the runs that it names (without traces) but for those that train on `machine`
/// now: they are there. A corpus by an absolute path is one of the other machine and is not sent. None has
/// its hash yet. Errors: experiment.*, config.*, io.*, store.*, remote.reference (a named run is being
/// written).
Result<std::vector<remote::SentFile>> filesToSend(const CommonOptions& common, const std::string& experiment,
                                                  const std::string& machine);

/// Trains a new run of an experiment on a machine of machines.toml, and follows it (remote_follower.h): what
/// the machine lacks is sent first. `checkpoints`: FollowedRun::checkpoints. Errors: machines.*, remote.*, as
/// trainExperiment.
Result<TrainedRun> trainOnMachine(const CommonOptions& common, const std::string& experiment,
                                  const TrainingJob& job, const std::string& machine, bool checkpoints);

/// Measures a training on a machine of machines.toml, without doing it: what `kurve train --dry-run --json`
/// prints there, and "machine". What the machine lacks is sent first. An interrupt ends only the process
/// here. Errors: machines.*, remote.*, as dryRunExperiment.
Result<nlohmann::json> dryRunOnMachine(const CommonOptions& common, const std::string& experiment,
                                       const TrainingJob& job, const std::string& machine);

/// Goes on, on the machine that trained it, with the run whose copy lies in `folder`, and follows it. Errors:
/// machines.*, remote.*, resume.running (it is being trained there), as resumeRun.
Result<TrainedRun> resumeOnMachine(const CommonOptions& common, const std::filesystem::path& folder,
                                   const std::string& checkpoint, const TrainingJob& job);

/// Follows a run that exists on a machine into the project here. Errors: remote.*, run.missing, store.locked
/// (another process follows it).
Result<TrainedRun> followOnMachine(const CommonOptions& common, const store::Project& project,
                                   const std::string& run, const remote::Machine& machine, bool checkpoints);

/// Name of the machine whose run is copied in `folder`; empty: it is a run of this one, or none.
[[nodiscard]] std::string recordedMachine(const std::filesystem::path& folder);
/// The machine of that name, or where it is empty the one that the run's copy in `folder` names. Errors:
/// machines.*, remote.no_machine, run.exists (the run in `folder` is no copy of that machine's).
Result<remote::Machine> machineOfRun(const std::filesystem::path& project,
                                     const std::filesystem::path& folder, const std::string& name);

}  // namespace kurve::engine
