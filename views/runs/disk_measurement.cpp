#include "views/runs/disk_measurement.h"

#include <algorithm>
#include <functional>

namespace kurve::views {

namespace {

// Of one batch: short enough for visible progress.
constexpr double kSeconds = 0.25;
constexpr std::ptrdiff_t kMostRuns = 200;

}  // namespace

void DiskMeasurement::start(const store::Project& project, std::vector<store::RunSummary> runs) {
    project_ = project;
    runs_ = std::move(runs);
    std::ranges::stable_sort(runs_, std::greater(), &store::RunSummary::bytes);
    done_ = 0;
    running_ = true;
    next();
}

void DiskMeasurement::next() {
    const auto from = runs_.begin() + static_cast<std::ptrdiff_t>(done_);
    const auto count = std::min(kMostRuns, runs_.end() - from);
    if (count == 0) {
        running_ = false;
        return Q_EMIT ended();
    }
    reading_.run([project = *project_, batch = std::vector(from, from + count)](
                     const CancelToken& cancel) { return store::diskUse(project, batch, kSeconds, cancel); },
                 [this](const std::vector<store::RunDisk>& measuredRuns) {
                     done_ += measuredRuns.size();
                     Q_EMIT measured(measuredRuns);
                     if (running_) next();
                 });
}

void DiskMeasurement::cancel() {
    if (!running_) return;
    reading_.drop();
    running_ = false;
    Q_EMIT ended();
}

}  // namespace kurve::views
