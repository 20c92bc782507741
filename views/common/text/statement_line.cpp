#include "views/common/text/statement_line.h"

#include <QEvent>
#include <QPainter>
#include <utility>

#include "views/common/chart/view_picture.h"
#include "views/common/form/controls.h"
#include "views/common/shell/panel.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr int kAskMilliseconds = 500;

}  // namespace

StatementLine::StatementLine(Panel& panel, QWidget* parent) : QWidget(parent), panel_(panel) {
    describe(this, panel.panelId() + QStringLiteral(".statement"), tr("Statement"));
    leaveOutOfFigures(*this);
    panel.installEventFilter(this);
}

QSize StatementLine::sizeHint() const {
    return {0, QFontMetrics(smallFont()).height() + px(6)};
}

void StatementLine::ask() {
    QString now = panel_.statement();
    if (now == text_) return;
    text_ = std::move(now);
    panel_.setAccessibleDescription(text_);
    setToolTip(plainTip(text_));
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
    if (event->type() == QEvent::Show) {
        watchWindow();
        ask();
    }
    return false;
}

void StatementLine::timerEvent(QTimerEvent* /*event*/) {
    timer_.stop();
    if (!panel_.visibleRegion().isEmpty()) ask();
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
