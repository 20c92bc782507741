#include "views/common/text/statement_line.h"

#include <QEvent>
#include <QHelpEvent>
#include <QPainter>
#include <QStackedLayout>
#include <QToolTip>
#include <algorithm>
#include <utility>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/shell/least_height.h"
#include "views/common/shell/panel.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {

constexpr int kAskMilliseconds = 500;
constexpr double kEnough = 300;  ///< minimum height of a panel with a line

int lineHeight() {
    return QFontMetrics(smallFont()).height() + px(6);
}

}  // namespace

StatementLine::StatementLine(Panel& panel) : QWidget(&panel), panel_(panel) {
    describe(this, panel.panelId() + QStringLiteral(".statement"), tr("Statement"));
    leaveOutOfFigures(*this);
    panel.installEventFilter(this);
    onThemeChange(this, &StatementLine::layOut);
    hide();
}

bool StatementLine::fits() const {
    // The layout's size includes the panel's margins, unless it is a stacked layout.
    QLayout* layout = panel_.layout();
    const int least = layout == nullptr ? 0 : leastHeight(layout, panel_.width());
    const int margin =
        qobject_cast<QStackedLayout*>(layout) != nullptr ? 0 : panel_.contentsMargins().bottom();
    return availableHeight(panel_) >= std::max(px(kEnough), least - margin + lineHeight());
}

void StatementLine::layOut() {
    const bool shown = fits();
    const int margin = shown ? lineHeight() : 0;
    if (panel_.contentsMargins().bottom() != margin) {
        panel_.setContentsMargins(0, 0, 0, margin);
        if (panel_.layout() != nullptr)
            panel_.layout()->activate();  // at once, to avoid an intermediate frame
    }
    setGeometry(0, panel_.height() - lineHeight(), panel_.width(), lineHeight());
    setVisible(shown);
    raise();
}

void StatementLine::ask() {
    QString now = panel_.statement();
    if (now == text_) return;
    text_ = std::move(now);
    panel_.setAccessibleDescription(text_);
    update();
}

/// A statement changes with what the panel shows, and then its window is painted: without painting there is
/// no update, so that an idle window costs nothing.
void StatementLine::watchWindow() {
    if (window_ == panel_.window()) return;
    if (window_) window_->removeEventFilter(this);
    window_ = panel_.window();
    if (window_ != &panel_) window_->installEventFilter(this);
}

bool StatementLine::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::UpdateRequest && !timer_.isActive() && panel_.isVisible())
        timer_.start(kAskMilliseconds, this);
    if (watched != &panel_) return false;
    if (event->type() == QEvent::Resize) layOut();
    if (event->type() == QEvent::Show) {
        watchWindow();
        ask();
        layOut();
    }
    return false;
}

void StatementLine::timerEvent(QTimerEvent* /*event*/) {
    timer_.stop();
    if (!panel_.visibleRegion().isEmpty()) ask();
}

bool StatementLine::event(QEvent* event) {
    if (event->type() == QEvent::ToolTip)
        QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), plainTip(text_), this);
    return event->type() == QEvent::ToolTip || QWidget::event(event);
}

void StatementLine::paintEvent(QPaintEvent* /*event*/) {
    QPainter painter(this);
    painter.fillRect(rect(), theme().raised);
    painter.setPen(theme().border);
    painter.drawLine(rect().topLeft(), rect().topRight());
    painter.setFont(smallFont());
    painter.setPen(theme().muted);
    const QRect area = rect().adjusted(px(space::kMedium), 0, -px(space::kSmall), 0);
    painter.drawText(area, Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(text_, Qt::ElideRight, area.width()));
}

}  // namespace kurve::views
