#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QTimer>
#include <map>
#include <optional>
#include <vector>

#include "app/studio/run_control.h"
#include "core/base/process_meter.h"

namespace kurve::studio {

/// What one live engine takes of the machine, or all of them.
struct EngineUse {
    QString runId;
    std::optional<double> cpuPercent;  ///< 100 is one core; missing until it was looked at twice
    double residentBytes = 0;
    QString device;                              ///< "cpu", "cuda:0"
    std::optional<double> gpuPercent, gpuBytes;  ///< of the whole GPU, as the engine logged it last
};
/// A GPU that several engines share counts once; of several GPUs the load is their mean.
[[nodiscard]] EngineUse sumOf(const std::vector<EngineUse>& uses);

/// Looks at the live engines of this machine once a second; rests while there are none. GUI thread.
class EngineMeters : public QObject {
    Q_OBJECT
public:
    explicit EngineMeters(const RunControl& control, QObject* parent = nullptr);
    [[nodiscard]] const std::vector<EngineUse>& uses() const { return uses_; }
    [[nodiscard]] bool isAtRest() const { return !clock_.isActive(); }

Q_SIGNALS:
    void changed();

private:
    void follow();
    void look();
    [[nodiscard]] std::optional<EngineUse> lookAt(const RunSupervisor& run);

    struct Seen {
        kurve::ProcessUse use;
        qint64 nanoseconds = 0;
    };
    const RunControl& control_;
    QTimer clock_;
    QElapsedTimer time_;
    std::map<qint64, Seen> seen_;  ///< by process
    std::vector<EngineUse> uses_;
};

}  // namespace kurve::studio
