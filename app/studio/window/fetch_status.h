#pragma once

#include "app/studio/services/machine_service.h"
#include "app/studio/window/job_button.h"

namespace kurve::studio {

/// In the status bar: the progress of fetching checkpoints; a click cancels it.
class FetchStatus : public JobButton {
    Q_OBJECT
public:
    explicit FetchStatus(MachineService& service)
        : JobButton("status.fetch", tr("Cancel fetching"),
                    tr("Cancel; what has arrived is kept, and fetching again continues")) {
        showJob(service.fetchStatus());
        connect(&service, &MachineService::fetchStatusChanged, this, &JobButton::showJob);
        connect(this, &QToolButton::clicked, &service, &MachineService::cancelFetch);
    }
};

}  // namespace kurve::studio
