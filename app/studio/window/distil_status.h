#pragma once

#include "app/studio/services/distil_service.h"
#include "app/studio/window/job_button.h"

namespace kurve::studio {

/// In the status bar: the progress of distilling, a click stops it; afterwards the offer to train on its
/// corpus. Hidden otherwise.
class DistilStatus : public JobButton {
    Q_OBJECT
public:
    explicit DistilStatus(DistilService& service);

Q_SIGNALS:
    void trainWanted(const QString& file);

private:
    void offer(const QString& file);

    DistilService& service_;
    QString offered_;
};

}  // namespace kurve::studio
