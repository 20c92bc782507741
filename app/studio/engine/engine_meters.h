#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <map>
#include <optional>
#include <vector>

#include "app/studio/session/run_control.h"
#include "core/base/process_meter.h"

namespace kurve::studio {

/// The resources that one live engine uses, or all of them.
struct EngineUse {
    QString runId;
    std::optional<double> cpuPercent;  ///< 100 is one core; missing until it was polled twice
    double residentBytes = 0;
    QString device;                              ///< "cpu", "cuda:0", "lab cuda:0" of the machine lab
    std::optional<double> gpuPercent, gpuBytes;  ///< of the whole GPU, as the engine logged it last
};
/// A GPU that several engines share counts once; of several GPUs the load is their mean.
[[nodiscard]] EngineUse sumOf(const std::vector<EngineUse>& uses);

/// Polls the live engines once a second, of those on other machines only their GPU; idle while there are
/// none. GUI thread.
class EngineMeters : public QObject {
    Q_OBJECT
public:
    explicit EngineMeters(const RunControl& control, QObject* parent = nullptr);
    [[nodiscard]] const std::vector<EngineUse>& uses() const { return uses_; }
    [[nodiscard]] bool isIdle() const { return !clock_.isActive(); }

Q_SIGNALS:
    void changed();

private:
    void follow();
    void poll();
    [[nodiscard]] std::optional<EngineUse> measure(const RunSupervisor& run);

    struct Sample {
        kurve::ProcessUse use;
        qint64 nanoseconds = 0;
    };
    const RunControl& control_;
    QTimer clock_;
    QElapsedTimer time_;
    std::map<qint64, Sample> samples_;  ///< by process
    std::vector<EngineUse> uses_;
};

}  // namespace kurve::studio
