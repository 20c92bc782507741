#pragma once

#include <QObject>
#include <optional>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/store/disk_use.h"
#include "views/common/background.h"

namespace kurve::views {

/// Measures what every run of a project takes on disk, the largest first, on a worker and piece by piece, so
/// that much is seen soon and all of it in the end. GUI thread.
class DiskMeasurement : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    /// Begins anew if it runs.
    void start(const store::Project& project, std::vector<store::RunSummary> runs);
    /// What was measured stays.
    void cancel();
    [[nodiscard]] bool running() const { return running_; }
    [[nodiscard]] std::size_t done() const { return done_; }
    [[nodiscard]] std::size_t total() const { return runs_.size(); }

Q_SIGNALS:
    void measured(const std::vector<kurve::store::RunDisk>& some);
    void ended();  ///< done, or cancelled

private:
    void next();

    std::optional<store::Project> project_;
    std::vector<store::RunSummary> runs_;
    std::size_t done_ = 0;
    bool running_ = false;
    CancelToken token_;
    Background reading_;
};

}  // namespace kurve::views
