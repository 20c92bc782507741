#include "views/common/form/control_column.h"

#include <QScrollBar>
#include <algorithm>

#include "views/common/chart/view_picture.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

ControlColumn::ControlColumn(QWidget* controls, int width, QWidget* parent)
    : QScrollArea(parent), width_(width) {
    setProperty("role", "card");
    setWidget(controls);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFrameShape(QFrame::NoFrame);
    setMaximumWidth(width_);
    leaveOutOfFigures(*this);
}

QSize ControlColumn::sizeHint() const {
    return {width_, QScrollArea::sizeHint().height()};
}

QSize ControlColumn::minimumSizeHint() const {
    const int controls = widget()->minimumSizeHint().width() + verticalScrollBar()->sizeHint().width();
    return {std::clamp(controls, width_ * 2 / 3, width_), px(120)};
}

}  // namespace kurve::views
