// What the keyboard does in a LineChart: a cursor that goes from point to point and reads them out, zoom and
// pan, and the frame that shows where the focus is.
#include <QKeyEvent>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/format.h"
#include "views/common/line_chart.h"
#include "views/common/series_plottable.h"

namespace kurve::views {

namespace {

constexpr double kZoomStep = 0.8, kPanStep = 0.1;

bool isChartKey(int key) {
    switch (key) {
        case Qt::Key_Left:
        case Qt::Key_Right:
        case Qt::Key_Up:
        case Qt::Key_Down:
        case Qt::Key_Home:
        case Qt::Key_Plus:
        case Qt::Key_Equal:
        case Qt::Key_Minus:
        case Qt::Key_Return:
        case Qt::Key_Enter:
            return true;
        default:
            return false;
    }
}

void pan(QCPAxis& axis, double share) {
    axis.moveRange(share * axis.range().size());
}

}  // namespace

bool LineChart::event(QEvent* event) {
    // Arrows belong to the chart that has the focus, before any action of the window.
    if (event->type() == QEvent::ShortcutOverride) {
        const auto* key = static_cast<QKeyEvent*>(event);
        if (isChartKey(key->key()) && !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier)))
            event->accept();
    }
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        update();
        if (event->type() == QEvent::FocusOut && !underMouse()) cursor_->setVisible(false);
        queueReplot();
    }
    return QWidget::event(event);
}

void LineChart::keyPressEvent(QKeyEvent* event) {
    const int key = event->key();
    if (!isChartKey(key) || (event->modifiers() & (Qt::ControlModifier | Qt::AltModifier)))
        return QWidget::keyPressEvent(event);
    if (key == Qt::Key_Home) {
        fit();
        return Q_EMIT followChosen();
    }
    if (key == Qt::Key_Return || key == Qt::Key_Enter) {
        if (std::isfinite(keyCursor_)) Q_EMIT clickedAt(keyCursor_);
        return;
    }
    const bool across = key == Qt::Key_Left || key == Qt::Key_Right;
    const int step = key == Qt::Key_Left || key == Qt::Key_Down || key == Qt::Key_Minus ? -1 : 1;
    if (across && !(event->modifiers() & Qt::ShiftModifier)) return moveKeyCursor(step);
    if (across)
        pan(*plot_->xAxis, step * kPanStep);
    else if (key == Qt::Key_Up || key == Qt::Key_Down)
        pan(*plot_->yAxis, step * kPanStep);
    else
        zoomBy(step > 0 ? kZoomStep : 1 / kZoomStep);
    chosenByHand();
    showButtons(true);
    queueReplot();
}

void LineChart::zoomBy(double factor) {
    const QCPRange keys = plot_->xAxis->range();
    const double cursor = std::isfinite(keyCursor_) ? scales_.keys.toPlace(keyCursor_) : keys.center();
    plot_->xAxis->scaleRange(factor, keys.contains(cursor) ? cursor : keys.center());
}

QString LineChart::cursorCurve() const {
    if (const auto main = curves_.find(main_); main != curves_.end() && !main->second->empty()) return main_;
    for (const auto& [id, curve] : curves_)
        if (!curve->empty()) return id;
    return {};
}

void LineChart::moveKeyCursor(int step) {
    (void)plot();  // its axes stand where the curves want them
    const QString id = cursorCurve();
    if (id.isEmpty()) return;
    const ChartCurve& curve = *curves_.at(id);
    const QCPRange range = plot_->xAxis->range();
    // From outside of what is shown it begins at the edge that it goes away from; points that share a pixel
    // are one step.
    const double from = std::isfinite(keyCursor_) && range.contains(scales_.keys.toPlace(keyCursor_))
                            ? scales_.keys.toPlace(keyCursor_)
                            : (step > 0 ? range.lower - range.size() : range.upper + range.size());
    const double pixel = range.size() / std::max(1, plot_->axisRect()->width());
    keyCursor_ = curve.neighbour(from, step, std::isfinite(keyCursor_) ? pixel : 0, range.lower, range.upper);
    if (!std::isfinite(keyCursor_)) return;
    const double place = scales_.keys.toPlace(keyCursor_);
    const double value = scales_.values.toPlace(valueAt(id, keyCursor_));
    const QPointF at(plot_->xAxis->coordToPixel(place), plot_->yAxis->coordToPixel(value));
    const QRectF room = plot_->axisRect()->rect();
    placeHover(
        {at.x(), std::isfinite(at.y()) ? std::clamp(at.y(), room.top(), room.bottom()) : room.center().y()});
    setAccessibleDescription(plot_->toolTip());
    QToolTip::showText(plot_->mapToGlobal(at.toPoint() + QPoint(px(6), 0)), plot_->toolTip(), this);
    queueReplot();
}

void LineChart::paintFocus() {
    if (!hasFocus()) return;
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme().accent, px(2)));
    painter.drawRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), px(5), px(5));
}

}  // namespace kurve::views
