#include "app/studio/panel_scroll_area.h"

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

/// Between the scroll area and the panel: the area would give a panel with a wrapping bar its size hint, and
/// scroll where it could be lower.
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

PanelScrollArea::PanelScrollArea(views::Panel* panel, int across) : panel_(panel), across_(across) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setWidget(new Holder(panel, [this] { setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded); }));
    connect(verticalScrollBar(), &QScrollBar::rangeChanged, this, &PanelScrollArea::keepBar);
    widget()->setAutoFillBackground(false);
    panel->setAutoFillBackground(false);
    panel->show();
    viewport()->setAutoFillBackground(false);
}

void PanelScrollArea::keepBar(int least, int most) {
    if (most > least) setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
}

bool PanelScrollArea::event(QEvent* event) {
    if (event->type() == QEvent::Resize) setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    return QScrollArea::event(event);
}

QSize PanelScrollArea::sizeHint() const {
    return panel_->sizeHint();
}

QSize PanelScrollArea::minimumSizeHint() const {
    // So many side by side, or three below each other with the bars of the window, also at zoom 2.
    const QSize all = screen()->availableSize();
    return panel_->minimumSizeHint().boundedTo({all.width() / across_, all.height() / 6});
}

}  // namespace kurve::studio
