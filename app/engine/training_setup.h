#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "app/engine/run_access.h"
#include "app/engine/training_job.h"

namespace kurve::engine {

/// What the functions of training_job.h are made of.

struct Experiment {
    std::filesystem::path file;
    store::Project project;
    RunConfig config;
};
/// Errors: experiment.*, config.*, train.no_end.
Result<Experiment> readExperiment(const CommonOptions& common, const std::string& experiment,
                                  const TrainingJob& job);
/// A new run of it: all but what the ranks have to meet for.
Result<train::SessionRequest> newRun(const Experiment& read, const TrainingJob& job);
/// The runs that `other` names, as it has pinned them, for a new run with its settings.
std::shared_ptr<train::RunResolver> resolverAs(const std::string& newRun, const CommonOptions& common,
                                               const OpenRun& other, c10::Device device);
/// Trains it, obeying the wire.
Result<TrainedRun> runSession(const CommonOptions& common, train::SessionRequest request);
/// The same in the processes of `world`. Rank 0 tells the others why it ends, where it does not train.
Result<TrainedRun> runOnRanks(const CommonOptions& common, train::SessionRequest request,
                              const RankWorld& world);

}  // namespace kurve::engine
