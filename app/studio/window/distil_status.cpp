#include "app/studio/window/distil_status.h"

namespace kurve::studio {

DistilStatus::DistilStatus(DistilService& service) : service_(service) {
    setObjectName(QStringLiteral("status.distil"));
    setAutoRaise(true);
    show(service.status());
    connect(&service, &DistilService::statusChanged, this, &DistilStatus::show);
    connect(&service, &DistilService::made, this, &DistilStatus::offer);
    connect(this, &QToolButton::clicked, this, [this] {
        if (service_.running()) return service_.stop();
        setVisible(false);
        Q_EMIT trainWanted(offered_);
    });
}

void DistilStatus::show(const QString& status) {
    setVisible(!status.isEmpty());
    setText(status.isEmpty() ? QString() : status + QStringLiteral("  ✕"));
    setToolTip(tr("Stop; decoded pairs are kept"));
    setAccessibleName(tr("Stop distilling"));
}

void DistilStatus::offer(const QString& file) {
    offered_ = file;
    setText(tr("Train on %1").arg(file));
    setToolTip(tr("Use this corpus in the draft (data.distilled = true)"));
    setAccessibleName(tr("Train on the distilled corpus"));
    setVisible(true);
}

}  // namespace kurve::studio
