#include "app/studio/window/panel_scroll_area.h"

#include <QEvent>
#include <QResizeEvent>
#include <QScreen>
#include <QScrollBar>
#include <QStackedLayout>
#include <QTimer>
#include <algorithm>
#include <functional>
#include <utility>

#include "views/common/text/statement_line.h"
#include "views/common/theme/theme.h"

namespace kurve::studio {

namespace {

constexpr int kUnfolded = 70;  ///< more than the least height, of a panel that folds out
constexpr int kEnough = 300;   ///< minimum height with a statement

/// The height below which a part of the layout is clipped at this width; of pages, the current one counts.
int leastHeight(QLayout* layout, int width) {
    if (auto* pages = qobject_cast<QStackedLayout*>(layout)) {
        QWidget* page = pages->currentWidget();
        if (page == nullptr) return 0;
        const int least =
            page->layout() != nullptr ? leastHeight(page->layout(), width) : page->minimumSizeHint().height();
        return std::max(page->minimumHeight(), least);
    }
    return layout->hasHeightForWidth() ? layout->totalMinimumHeightForWidth(width)
                                       : layout->totalMinimumSize().height();
}

/// Between the scroll area and the panel: the area would give a panel with a wrapping bar its size hint, and
/// scroll where it could be lower.
class Holder : public QWidget {
public:
    /// `requested`: a layout was requested; by another width, or by the panel itself.
    Holder(views::Panel* panel, std::function<void(bool byWidth)> requested)
        : panel_(panel), requested_(std::move(requested)) {
        panel->setParent(this);
    }
    QSize sizeHint() const override { return panel_->sizeHint(); }
    QSize minimumSizeHint() const override {
        const int width = panel_->minimumSizeHint().width();
        if (panel_->layout() == nullptr) return panel_->minimumSizeHint();
        return {width, leastHeight(panel_->layout(), std::max(width, this->width()))};
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
            requested_(std::exchange(widthChanged_, false));
            updateGeometry();
        }
        return QWidget::event(event);
    }

private:
    views::Panel* panel_;
    std::function<void(bool)> requested_;
    int least_ = 0;
    bool widthChanged_ = false;
};

}  // namespace

PanelScrollArea::PanelScrollArea(views::Panel* panel, int across) : panel_(panel), across_(across) {
    setFrameShape(QFrame::NoFrame);
    setWidgetResizable(true);
    setFocusPolicy(Qt::NoFocus);
    setWidget(new Holder(panel, [this](bool byWidth) {
        if (!byWidth) setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
        fitHeight();
        placeStatement();
    }));
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
    if (event->type() != QEvent::Resize) return QScrollArea::event(event);
    setVerticalScrollBarPolicy(Qt::ScrollBarAsNeeded);
    const bool done = QScrollArea::event(event);
    fitHeight();
    return done;
}

void PanelScrollArea::fitHeight() {
    const bool fixed = panel_->sizePolicy().verticalPolicy() == QSizePolicy::Maximum;
    if (!fixed && maximumHeight() == QWIDGETSIZE_MAX) return;
    const int needed = widget()->minimumSizeHint().height() + (fixed ? 0 : views::px(kUnfolded));
    setMaximumHeight(fixed ? needed : QWIDGETSIZE_MAX);
    setMinimumHeight(std::min(needed, screen()->availableSize().height() / 3));
    if (fixed) return;
    // The space once given is kept; from then on the border below can be dragged.
    QTimer::singleShot(100, this, [this] {
        if (maximumHeight() == QWIDGETSIZE_MAX) setMinimumHeight(0);
    });
}

void PanelScrollArea::addStatement() {
    statement_ = new views::StatementLine(*panel_, this);
    connect(views::themeNotifier(), &views::ThemeNotifier::changed, this, &PanelScrollArea::placeStatement);
    placeStatement();
}

void PanelScrollArea::placeStatement() {
    if (statement_ == nullptr) return;
    const int wanted = statement_->sizeHint().height(), least = widget()->minimumSizeHint().height();
    const int line = height() >= std::max(views::px(kEnough), least + wanted) ? wanted : 0;
    setViewportMargins(0, 0, 0, line);
    statement_->setGeometry(0, height() - line, viewport()->width(), line);
    statement_->setVisible(line > 0);
}

void PanelScrollArea::resizeEvent(QResizeEvent* event) {
    QScrollArea::resizeEvent(event);
    placeStatement();
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
