#include "views/common/shell/on_first_show.h"

#include <QEvent>
#include <QWidget>

namespace kurve::views {

namespace {

/// A covered tab of a dock area counts as visible for Qt, but has no region. Before its window is shown a
/// widget is prepared for it.
bool isShown(const QWidget& widget) {
    if (!widget.window()->isVisible()) return true;
    return widget.isVisible() && !widget.visibleRegion().isEmpty();
}

}  // namespace

OnFirstShow::OnFirstShow(QWidget& widget, std::function<void()> work)
    : widget_(widget), work_(std::move(work)) {
    widget.installEventFilter(this);
}

void OnFirstShow::request() {
    due_ = !isShown(widget_);
    if (!due_) work_();
}

bool OnFirstShow::eventFilter(QObject* watched, QEvent* event) {
    // An activated tab is painted without a show event. The work may change the layout, so it is done after
    // the painting.
    if (due_ && watched == &widget_ && (event->type() == QEvent::Show || event->type() == QEvent::Paint)) {
        due_ = false;
        QMetaObject::invokeMethod(
            this, [this] { request(); }, Qt::QueuedConnection);
    }
    return false;
}

}  // namespace kurve::views
