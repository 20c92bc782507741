#include "app/studio/engine/engine_meters.h"

#include <algorithm>

namespace kurve::studio {

namespace {

constexpr int kPollMilliseconds = 1000;
constexpr double kMegabyteBytes = 1e6;

std::optional<double> metricOf(const RunSupervisor& run, const char* name) {
    const auto& metrics = run.progress().metrics;
    const auto found = metrics.find(name);
    return found == metrics.end() ? std::nullopt : std::optional<double>(found->second);
}

/// As the engine logged it last.
EngineUse gpuUse(const RunSupervisor& run) {
    EngineUse use;
    use.runId = run.runId();
    use.device = run.progress().device;
    if (!run.machine().isEmpty()) use.device = run.machine() + QLatin1Char(' ') + use.device;
    use.gpuPercent = metricOf(run, "gpu_percent");
    if (const auto megabytes = metricOf(run, "gpu_memory_mb")) use.gpuBytes = *megabytes * kMegabyteBytes;
    return use;
}

void add(std::optional<double>& sum, const std::optional<double>& value) {
    if (value) sum = sum.value_or(0) + *value;
}

}  // namespace

EngineUse sumOf(const std::vector<EngineUse>& uses) {
    EngineUse sum;
    std::map<QString, const EngineUse*> gpus;
    for (const EngineUse& each : uses) {
        add(sum.cpuPercent, each.cpuPercent);
        sum.residentBytes += each.residentBytes;
        if (each.gpuPercent || each.gpuBytes) gpus[each.device] = &each;
    }
    int loads = 0;
    for (const auto& [device, use] : gpus) {
        add(sum.gpuPercent, use->gpuPercent);
        add(sum.gpuBytes, use->gpuBytes);
        loads += use->gpuPercent.has_value();
    }
    if (loads > 1) *sum.gpuPercent /= loads;
    return sum;
}

EngineMeters::EngineMeters(const RunControl& control, QObject* parent) : QObject(parent), control_(control) {
    clock_.setInterval(kPollMilliseconds);
    time_.start();
    connect(&clock_, &QTimer::timeout, this, &EngineMeters::poll);
    connect(&control, &RunControl::changed, this, &EngineMeters::follow);
    follow();
}

void EngineMeters::follow() {
    const bool live = control_.liveCount() > 0;
    if (live && clock_.isActive()) return;
    if (live) clock_.start();
    if (!live) {
        clock_.stop();
        samples_.clear();
    }
    poll();
}

void EngineMeters::poll() {
    uses_.clear();
    for (const RunSupervisor* run : control_.live())
        if (auto use = measure(*run)) uses_.push_back(*use);
    Q_EMIT changed();
}

std::optional<EngineUse> EngineMeters::measure(const RunSupervisor& run) {
    // The process id of an engine that does not respond may have been reused.
    if (run.pid() <= 0 || run.phase() == RunPhase::LostContact) return std::nullopt;
    EngineUse use = gpuUse(run);
    // The process here only follows a training on another machine.
    if (!run.machine().isEmpty()) return use.gpuPercent || use.gpuBytes ? std::optional(use) : std::nullopt;
    const auto now = processUse(run.pid());
    if (!now) return std::nullopt;
    use.residentBytes = static_cast<double>(now->residentBytes);
    const qint64 time = time_.nsecsElapsed();
    Sample& before = samples_[run.pid()];
    if (before.nanoseconds > 0 && time > before.nanoseconds)
        use.cpuPercent = 100 * std::max(0.0, now->cpuSeconds - before.use.cpuSeconds) * 1e9 /
                         static_cast<double>(time - before.nanoseconds);
    before = {*now, time};
    return use;
}

}  // namespace kurve::studio
