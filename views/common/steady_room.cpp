#include "views/common/steady_room.h"

#include <QEvent>
#include <utility>

namespace kurve::views {

SteadyRoom::SteadyRoom(QWidget* content, QWidget* parent) : QWidget(parent), content_(content) {
    content_->setParent(this);
    setSizePolicy(content_->sizePolicy());
}

QSize SteadyRoom::wish() const {
    const int least = content_->minimumSizeHint().width();
    return {least, hasHeightForWidth() ? heightForWidth(width()) : content_->sizeHint().height()};
}

// Without a layout of its own it hears of its content's other wishes as a request; of those while it was not
// in sight it hears nothing.
bool SteadyRoom::event(QEvent* event) {
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::Show)
        if (const QSize now = wish(); std::exchange(told_, now) != now) updateGeometry();
    return QWidget::event(event);
}

void SteadyRoom::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    content_->setGeometry(rect());
    told_ = wish();  // for this width the layout has asked already
}

}  // namespace kurve::views
