#include "app/studio/panel_room.h"

#include <QEvent>
#include <QResizeEvent>
#include <QScreen>
#include <QScrollBar>
#include <algorithm>
#include <functional>
#include <utility>

#include "views/common/least_height.h"

namespace kurve::studio {

namespace {

/// Lies between the scroll area and the panel: the area would give a panel with a bar that wraps the height
/// that it likes best, and scroll where it could as well be lower.
class Holder : public QWidget {
public:
    Holder(views::Panel* panel, std::function<void()> panelChanged)
        : panel_(panel), panelChanged_(std::move(panelChanged)) {
        panel->setParent(this);
    }
    QSize sizeHint() const override { return panel_->sizeHint(); }
    QSize minimumSizeHint() const override {
        const int width = panel_->minimumSizeHint().width();
        if (panel_->layout() == nullptr) return panel_->minimumSizeHint();
        return {width, views::leastHeight(panel_->layout(), std::max(width, this->width()))};
    }

protected:
    void resizeEvent(QResizeEvent* event) override {
        if (event->size().width() != event->oldSize().width()) widthChanged_ = true;
        panel_->setGeometry(rect());
        if (const int least = minimumSizeHint().height(); least != std::exchange(least_, least))
            updateGeometry();
    }
    bool event(QEvent* event) override {
        if (event->type() == QEvent::LayoutRequest) {
            // The first request after another width answers it; any other comes from the panel.
            if (!std::exchange(widthChanged_, false)) panelChanged_();
            updateGeometry();
        }
        return QWidget::event(event);
    }

private:
    views::Panel* panel_;
    std::function<void()> panelChanged_;
    int least_ = 0;
    bool widthChanged_ = false;
};

}  // namespace

PanelRoom::PanelRoom(views::Panel* panel, int across) : panel_(panel), across_(across) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setWidget(new Holder(panel, [this] { setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded); }));
    connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, &PanelRoom::keepBar);
    widget()->setAutoFillBackground(false);
    panel->setAutoFillBackground(false);
    panel->show();
    viewport()->setAutoFillBackground(false);
}

void PanelRoom::keepBar(int least, int most) {
    if (most > least) setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
}

bool PanelRoom::event(QEvent* event) {
    if (event->type() == QEvent::Resize) setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    return QScrollArea::event(event);
}

QSize PanelRoom::sizeHint() const {
    return panel_->sizeHint();
}

QSize PanelRoom::minimumSizeHint() const {
    // So many beside each other, or three below each other with the window's own bars, also where those are
    // twice as high.
    const QSize all = screen()->availableSize();
    return panel_->minimumSizeHint().boundedTo({all.width() / across_, all.height() / 6});
}

}  // namespace kurve::studio
