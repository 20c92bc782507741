#include "views/common/shell/reserved_space.h"

#include <QEvent>
#include <utility>

namespace kurve::views {

ReservedSpace::ReservedSpace(QWidget* content, QWidget* parent) : QWidget(parent), content_(content) {
    content_->setParent(this);
    setSizePolicy(content_->sizePolicy());
}

QSize ReservedSpace::neededSize() const {
    const int least = content_->minimumSizeHint().width();
    return {least, hasHeightForWidth() ? heightForWidth(width()) : content_->sizeHint().height()};
}

// Without a layout of its own it gets size changes of its content as layout requests, except while hidden.
bool ReservedSpace::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show)
        if (const QSize now = neededSize(); std::exchange(reported_, now) != now) updateGeometry();
    return QWidget::event(event);
}

void ReservedSpace::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    content_->setGeometry(rect());
    reported_ = neededSize();  // the layout has this width already
}

}  // namespace kurve::views
