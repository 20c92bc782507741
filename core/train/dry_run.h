#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/train/memory_need.h"
#include "core/train/model_family.h"
#include "core/train/reranker.h"

namespace kurve::train {

/// A few steps on the real data that are only timed; nothing is written.
struct DryRunRequest {
    const ModelFamily* family = nullptr;
    RunConfig config;
    std::filesystem::path project;
    c10::Device device = c10::kCPU;
    int threads = 1;
    int steps = 10;             ///< measured ones; one more before them warms up
    std::int64_t maxSteps = 0;  ///< total of the run; 0 = the experiment's own limit
    double maxSeconds = 0;      ///< 0 = none
    bool force = false;         ///< as SessionRequest::force
    text::Progress preparation;
    std::shared_ptr<RunResolver> resolver;  ///< as SessionRequest::resolver
    CancelToken cancel;
};

struct DryRunReport {
    std::int64_t parameters = 0, totalSteps = 0;
    int steps = 0;                                    ///< measured
    double prepareSeconds = 0, firstStepSeconds = 0;  ///< data and model; the step that warms up
    double stepMedian = 0, stepMin = 0, stepMax = 0;  ///< seconds
    double tokensPerSecond = 0;                       ///< target tokens
    double evaluationSeconds = 0;                     ///< of one, extrapolated from a few pairs
    std::int64_t evaluations = 0;
    double totalSeconds = 0;                                ///< of the whole run, evaluations included
    double peakMegabytes = 0, availableMegabytes = 0;       ///< of the host's memory
    MemoryNeed need;                                        ///< what was expected before it began
    MemoryNeed checkpointed;                                ///< the same with activation checkpointing
    double checkpointMegabytes = 0, retainedMegabytes = 0;  ///< one, and as many as stay
    double freeMegabytes = 0;                               ///< on the project's disk
    std::vector<std::string> warnings;                      ///< certain or likely problems
};

/// Errors: those of the data and the model; train.non_finite (a step was not finite), cancelled.
Result<DryRunReport> dryRun(const DryRunRequest& request);

}  // namespace kurve::train
