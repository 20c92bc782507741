#include "app/engine/training_job.h"

#include <algorithm>

#include "app/engine/platform.h"
#include "app/engine/run_resolver.h"
#include "app/engine/training_setup.h"
#include "models/families.h"

namespace kurve::engine {

Result<TrainedRun> trainExperiment(const CommonOptions& common, const std::string& experiment,
                                   const TrainingJob& job) {
    KURVE_TRY(const Experiment read, readExperiment(common, experiment));
    KURVE_CHECKED(checkTrains(read, job));
    KURVE_TRY(auto request, newRun(read, job));
    KURVE_TRY(const RankWorld world, joinRanks(common, job.ranks));
    return runOnRanks(common, std::move(request), world);
}

Result<train::DryRunReport> dryRunExperiment(const CommonOptions& common, const std::string& experiment,
                                             const TrainingJob& job) {
    KURVE_TRY(const Experiment read, readExperiment(common, experiment));
    KURVE_CHECKED(checkTrains(read, job));
    train::DryRunRequest request;
    request.family = models::findFamily(read.config.family());
    request.config = read.config;
    request.project = read.project.folder();
    KURVE_TRY(request.device, chooseDevice(common.device));
    request.threads = platform().threads;
    request.maxSteps = job.limits.maxSteps;
    request.maxSeconds = job.limits.maxSeconds;
    request.force = common.force;
    request.preparation = preparationProgress(common);
    request.resolver = makeRunResolver(common, request.project, request.device, {job.run, {}, {}});
    return train::dryRun(request);
}

Result<MemoryEstimate> estimateExperiment(const CommonOptions& common, const std::string& experiment,
                                          const TrainingJob& job) {
    KURVE_TRY(const Experiment read, readExperiment(common, experiment));
    KURVE_CHECKED(checkTrains(read, job));
    KURVE_TRY(const c10::Device device, chooseDevice(common.device));
    KURVE_TRY(text::Dataset data, text::preparedDataset(read.config, read.project.folder()));
    const auto resolver = makeRunResolver(common, read.project.folder(), device, {job.run, {}, {}});
    const int processes = std::max(1, job.ranks.processes);
    KURVE_TRY(const train::MemoryNeed need,
              train::memoryNeed(*models::findFamily(read.config.family()), read.config,
                                std::make_shared<const text::Dataset>(std::move(data)), device,
                                resolver.get(), {processes, device.is_cpu() ? processes : 1}));
    return MemoryEstimate{need, train::freeMemory(device), device.str()};
}

}  // namespace kurve::engine
