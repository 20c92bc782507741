#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "core/store/disk_use.h"
#include "views/common/data/background.h"

namespace kurve::views {

/// Measures the disk use of every run of a project, the largest first, on a worker and in batches, so that
/// large runs are shown early. GUI thread.
class DiskMeasurement : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Restarts if it is running.
    void start(const store::Project& project, std::vector<store::RunSummary> runs);
    /// Keeps what was measured.
    void cancel();
    [[nodiscard]] bool running() const { return running_; }
    [[nodiscard]] std::size_t done() const { return done_; }
    [[nodiscard]] std::size_t total() const { return runs_.size(); }

Q_SIGNALS:
    void measured(const std::vector<kurve::store::RunDisk>& batch);
    void ended();  ///< done, or cancelled

private:
    void next();

    std::optional<store::Project> project_;
    std::vector<store::RunSummary> runs_;
    std::size_t done_ = 0;
    bool running_ = false;
    Background reading_{JobKind::Later};
};

}  // namespace kurve::views
