#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "core/base/cancel_token.h"
#include "core/train/session.h"

namespace kurve::train {

/// Steps of a run that are replayed: from a checkpoint (or from the initial values) to a later one.
struct ReplayRequest {
    const ModelFamily* family = nullptr;
    RunConfig config;
    std::filesystem::path project;
    c10::Device device = c10::kCPU;
    std::optional<std::filesystem::path> from;  ///< empty: from initial values
    std::filesystem::path to;
    bool force = false;                     ///< also where the memory will not suffice
    std::shared_ptr<RunResolver> resolver;  ///< as SessionRequest::resolver
    CancelToken cancel;
    text::Progress progress;
};
struct ReplayReport {
    std::int64_t fromStep = 0, toStep = 0;
    bool same = false;             ///< every weight and both moments, bit for bit
    std::string firstDifference;   ///< name of the first tensor that differs
    double largestDifference = 0;  ///< of the weights
};
/// Trains these steps again with the plan and the live changes that the later checkpoint recorded, and
/// compares with what is stored. Errors: checkpoint.* (checkpoint.weights_only at once), cancelled.
Result<ReplayReport> replay(const ReplayRequest& request);

}  // namespace kurve::train
