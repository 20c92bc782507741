#pragma once

#include <filesystem>
#include <string>

#include "core/train/model_family.h"
#include "core/train/session_link.h"

namespace kurve::train {

/// Shows a recording that is still being made as a file, replaced as it grows; each time the event "tracing"
/// {file, steps, planned} says so. Pictures wait for each other and take at most a sixth of the time: some
/// are left out, no step is, since each holds all before it. A file that cannot be written ends the showing
/// with the event "warning", never the recording.
class FollowFile final : public TraceFollower {
public:
    /// `link` outlives this.
    FollowFile(std::filesystem::path file, std::string requestId, SessionLink& link);
    [[nodiscard]] bool wants(int stepsDone) override;
    void show(trace::Trace soFar, int plannedSteps) override;

private:
    std::filesystem::path file_;
    std::string requestId_;
    SessionLink& link_;
    double next_;  ///< steady seconds before which nothing is shown
    double shownFrom_ = 0;
    bool failed_ = false;
};

}  // namespace kurve::train
