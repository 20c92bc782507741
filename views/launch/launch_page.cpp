#include "views/launch/launch_page.h"

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QVBoxLayout>
#include <utility>

#include "views/common/least_height.h"
#include "views/common/theme.h"
#include "views/launch/launch_foot.h"
#include "views/launch/launch_head.h"
#include "views/launch/settings_form.h"

namespace kurve::views {

namespace {
constexpr int kAllStays = 540;  ///< height where head and foot leave the settings some rows
}  // namespace

LaunchPage::LaunchPage(LaunchHead* head, SettingsForm* form, LaunchFoot* foot)
    : head_(head), form_(form), foot_(foot), layout_(new QVBoxLayout(this)) {
    layout_->setContentsMargins(0, 0, 0, 0);
    layout_->setSpacing(0);
    layout_->addWidget(head_);
    layout_->addWidget(form_, 1);
    layout_->addWidget(foot_);
    connect(foot_, &LaunchFoot::inSightWanted, this, &LaunchPage::bring);
}

void LaunchPage::arrange(bool low) {
    const QPointer<QWidget> focus = QApplication::focusWidget();
    if (low) {
        form_->frame(head_, foot_->details());
    } else {
        layout_->insertWidget(0, head_);
        foot_->takeDetails();
    }
    if (focus == nullptr || !isAncestorOf(focus)) return;
    // What moves is hidden until the events that are waiting are done, and a hidden field has no focus.
    const auto back = [focus] {
        if (focus) focus->setFocus(Qt::OtherFocusReason);
    };
    QMetaObject::invokeMethod(this, back, Qt::QueuedConnection);
}

void LaunchPage::bring(QWidget* detail) {
    if (!low_) return;
    // A height goes up from layout to layout by one event each; none of them is waited for.
    for (const QWidget* at = detail; at != nullptr && at != form_; at = at->parentWidget())
        if (at->layout() != nullptr) at->layout()->activate();
    QEvent grown(QEvent::LayoutRequest);
    QApplication::sendEvent(form_, &grown);
    form_->ensureWidgetVisible(detail);
}

void LaunchPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool low = roomHeight(*this) < px(kAllStays);
    if (std::exchange(low_, low) != low) arrange(low);
}

}  // namespace kurve::views
