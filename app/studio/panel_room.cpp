#include "app/studio/panel_room.h"

#include <QScreen>

namespace kurve::studio {

PanelRoom::PanelRoom(views::Panel* panel, QWidget* parent) : QScrollArea(parent) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setWidget(panel);
    panel->setAutoFillBackground(false);
    viewport()->setAutoFillBackground(false);
}

QSize PanelRoom::sizeHint() const {
    return widget()->sizeHint();
}

QSize PanelRoom::minimumSizeHint() const {
    // Two beside each other and a list, or three below each other, with the window's own bars.
    const QSize all = screen()->availableSize();
    return widget()->minimumSizeHint().boundedTo({all.width() / 3, all.height() / 5});
}

}  // namespace kurve::studio
