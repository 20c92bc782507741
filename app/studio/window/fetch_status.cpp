#include "app/studio/window/fetch_status.h"

#include "views/common/form/controls.h"

namespace kurve::studio {

using views::describe;

FetchStatus::FetchStatus(MachineService& service) {
    describe(this, "status.fetch", tr("Cancel fetching"),
             tr("Cancel; what has arrived is kept, and fetching again continues"));
    setAutoRaise(true);
    show(service.fetchStatus());
    connect(&service, &MachineService::fetchStatusChanged, this, &FetchStatus::show);
    connect(this, &QToolButton::clicked, &service, &MachineService::cancelFetch);
}

void FetchStatus::show(const QString& status) {
    setVisible(!status.isEmpty());
    setText(status.isEmpty() ? QString() : status + QStringLiteral("  ✕"));
}

}  // namespace kurve::studio
