#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/engine/run_access.h"
#include "app/engine/training_job.h"
#include "core/wire/message.h"

namespace kurve::engine {

/// What the functions of training_job.h are made of.

struct Experiment {
    std::filesystem::path file;
    store::Project project;
    RunConfig config;
};
/// The schedules that it names are in its settings. Errors: experiment.*, config.*.
Result<Experiment> readExperiment(const CommonOptions& common, const std::string& experiment);
/// Whether it can be trained, and when that ends. Errors: train.no_end, config.*.
Status checkTrains(const Experiment& read, const TrainingJob& job);
/// A new run of it: all but what the ranks have to meet for.
Result<train::SessionRequest> newRun(const Experiment& read, const TrainingJob& job);
/// The runs that `other` names, as it has pinned them, for a new run with its settings.
std::shared_ptr<train::RunResolver> resolverAs(const std::string& newRun, const CommonOptions& common,
                                               const OpenRun& other, c10::Device device);
/// An event "error" with the step of a sound checkpoint, which a studio offers.
[[nodiscard]] wire::Message errorOffering(const Error& error, std::optional<std::int64_t> checkpoint);
/// Trains it, obeying the wire.
Result<TrainedRun> runSession(const CommonOptions& common, train::SessionRequest request);
/// The same in the processes of `world`. Rank 0 tells the others why it ends, where it does not train.
Result<TrainedRun> runOnRanks(const CommonOptions& common, train::SessionRequest request,
                              const RankWorld& world);

}  // namespace kurve::engine
