#include "app/studio/window/fetch_status.h"

namespace kurve::studio {

FetchStatus::FetchStatus(MachineService& service) {
    setObjectName(QStringLiteral("status.fetch"));
    setAutoRaise(true);
    setToolTip(tr("Cancel; what has arrived is kept, and fetching again continues"));
    setAccessibleName(tr("Cancel fetching"));
    show(service.fetchStatus());
    connect(&service, &MachineService::fetchStatusChanged, this, &FetchStatus::show);
    connect(this, &QToolButton::clicked, &service, &MachineService::cancelFetch);
}

void FetchStatus::show(const QString& status) {
    setVisible(!status.isEmpty());
    setText(status.isEmpty() ? QString() : status + QStringLiteral("  ✕"));
}

}  // namespace kurve::studio
