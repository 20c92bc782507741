#include "views/launch/launch_page.h"

#include <QApplication>
#include <QEvent>
#include <QPointer>
#include <QScrollArea>
#include <QVBoxLayout>
#include <utility>

#include "views/common/form/layouts.h"
#include "views/common/theme/theme.h"
#include "views/launch/launch_foot.h"
#include "views/launch/launch_head.h"
#include "views/launch/settings_form.h"

namespace kurve::views {

namespace {
constexpr int kLeastHeight = 520;  ///< height at which head and foot leave some rows for the settings

/// The height of a view, or of the scroll area around it.
int availableHeight(const QWidget& view) {
    for (const QWidget* at = &view; at != nullptr; at = at->parentWidget())
        if (const auto* area = qobject_cast<const QScrollArea*>(at)) return area->viewport()->height();
    return view.height();
}
}  // namespace

LaunchPage::LaunchPage(LaunchHead* head, SettingsForm* form, LaunchFoot* foot)
    : head_(head),
      form_(form),
      foot_(foot),
      layout_(vboxIn(this, {head_, {form_, 1}, foot_}, {.margins = 0, .spacing = 0})) {
    connect(foot_, &LaunchFoot::scrollRequested, this, &LaunchPage::scrollTo);
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
    // Moved widgets are hidden until pending events are processed, and hidden fields lose the focus.
    const auto back = [focus] {
        if (focus) focus->setFocus(Qt::OtherFocusReason);
    };
    QMetaObject::invokeMethod(this, back, Qt::QueuedConnection);
}

void LaunchPage::scrollTo(QWidget* detail) {
    if (!low_) return;
    // Activate the layouts up to the form, each of which would need an event.
    for (const QWidget* at = detail; at != nullptr && at != form_; at = at->parentWidget())
        if (at->layout() != nullptr) at->layout()->activate();
    QEvent grown(QEvent::LayoutRequest);
    QApplication::sendEvent(form_, &grown);
    form_->ensureWidgetVisible(detail);
}

void LaunchPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    const bool low = availableHeight(*this) < px(kLeastHeight);
    if (std::exchange(low_, low) != low) arrange(low);
}

}  // namespace kurve::views
