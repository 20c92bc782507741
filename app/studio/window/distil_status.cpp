#include "app/studio/window/distil_status.h"

#include "views/common/form/controls.h"

namespace kurve::studio {

DistilStatus::DistilStatus(DistilService& service)
    : JobButton("status.distil", tr("Stop distilling"), tr("Stop; decoded pairs are kept")),
      service_(service) {
    showJob(service.status());
    connect(&service, &DistilService::statusChanged, this, &JobButton::showJob);
    connect(&service, &DistilService::made, this, &DistilStatus::offer);
    connect(this, &QToolButton::clicked, this, [this] {
        if (service_.running()) return service_.stop();
        setVisible(false);
        Q_EMIT trainWanted(offered_);
    });
}

void DistilStatus::offer(const QString& file) {
    offered_ = file;
    setText(tr("Train on %1").arg(file));
    views::describe(this, {}, tr("Train on the distilled corpus"),
                    tr("Use this corpus in the draft (data.distilled = true)"));
    setVisible(true);
}

}  // namespace kurve::studio
