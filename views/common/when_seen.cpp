#include "views/common/when_seen.h"

#include <QEvent>
#include <QWidget>

namespace kurve::views {

namespace {

/// A covered tab of a dock area counts as visible for Qt, but has no region. Before its window is shown a
/// widget is prepared for it.
bool seen(const QWidget& widget) {
    if (!widget.window()->isVisible()) return true;
    return widget.isVisible() && !widget.visibleRegion().isEmpty();
}

}  // namespace

WhenSeen::WhenSeen(QWidget& widget, std::function<void()> work) : widget_(widget), work_(std::move(work)) {
    widget.installEventFilter(this);
}

void WhenSeen::ask() {
    due_ = !seen(widget_);
    if (!due_) work_();
}

bool WhenSeen::eventFilter(QObject* watched, QEvent* event) {
    // A tab that comes to the front is painted, without being shown. The work may change the layout: not
    // while it is painted.
    if (due_ && watched == &widget_ && (event->type() == QEvent::Show || event->type() == QEvent::Paint)) {
        due_ = false;
        QMetaObject::invokeMethod(
            this, [this] { ask(); }, Qt::QueuedConnection);
    }
    return false;
}

}  // namespace kurve::views
