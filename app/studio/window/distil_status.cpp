#include "app/studio/window/distil_status.h"

#include "views/common/form/controls.h"

namespace kurve::studio {

using views::describe;

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
    describe(this, {}, tr("Stop distilling"), tr("Stop; decoded pairs are kept"));
}

void DistilStatus::offer(const QString& file) {
    offered_ = file;
    setText(tr("Train on %1").arg(file));
    describe(this, {}, tr("Train on the distilled corpus"),
             tr("Use this corpus in the draft (data.distilled = true)"));
    setVisible(true);
}

}  // namespace kurve::studio
