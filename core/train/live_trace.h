#pragma once

#include <filesystem>
#include <string>

#include "core/train/model_family.h"
#include "core/train/session_link.h"

namespace kurve::train {

/// Writes a growing trace to a file that is replaced each time, followed by the event "tracing"
/// {file, steps, planned}. Writing takes at most a sixth of the time: some snapshots are skipped, no step is,
/// since each holds all before it. A file that cannot be written ends the snapshots with the event "warning",
/// never the trace.
class LiveTrace final : public TraceObserver {
public:
    /// `link` outlives this.
    LiveTrace(std::filesystem::path file, std::string requestId, SessionLink& link);
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
