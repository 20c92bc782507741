#pragma once

#include "views/frontier/sweep_form.h"

namespace kurve::views {

/// Runs sweeps, one at a time.
class Sweeps : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    [[nodiscard]] const SweepStatus& status() const { return status_; }
    /// While paused this continues with the new request; while running it is ignored.
    virtual void start(const SweepRequest& /*request*/) {}
    virtual void pause() {}
    virtual void cancel() {}

Q_SIGNALS:
    void statusChanged(const kurve::views::SweepStatus& status);
    void pointsChanged();  ///< a run has new points; at most once a second

protected:
    SweepStatus status_;
};

}  // namespace kurve::views
