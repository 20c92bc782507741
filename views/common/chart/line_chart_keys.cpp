// Keyboard of a LineChart: a cursor that moves from point to point and shows their values, zoom and pan, and
// the focus frame.
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/chart/line_chart.h"
#include "views/common/chart/series_plottable.h"
#include "views/common/shell/view_keys.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr double kZoomStep = 0.8, kPanStep = 0.1;

void pan(QCPAxis& axis, double fraction) {
    axis.moveRange(fraction * axis.range().size());
}

}  // namespace

void LineChart::addKeys() {
    auto* keys = new ViewKeys(this, tr("Chart"));
    const auto cursor = [this](int step) { return [this, step] { moveKeyCursor(step); }; };
    // Of one kind, so that Backspace undoes consecutive ones at once.
    const auto moved = [this](auto&& change, int kind) {
        return [this, change, kind] {
            const View before = view();
            rememberView(kind);
            change();
            viewChanged(before);
            queueReplot();
        };
    };
    const auto panned = [&](bool across, int step) {
        return moved([this, across, step] { pan(across ? *plot_->xAxis : *plot_->yAxis, step * kPanStep); },
                     across ? 0 : 1);
    };
    const auto zoomed = [&](double factor) { return moved([this, factor] { zoomBy(factor); }, 2); };
    const auto zoomedValues = [&](double factor) {
        return moved([this, factor] { zoomValuesBy(factor); }, 3);
    };
    const auto shifted = [](Qt::Key key) { return QKeySequence(Qt::SHIFT | key); };
    keys->add({{Qt::Key_Right}, tr("Next point"), cursor(1)});
    keys->add({{Qt::Key_Left}, tr("Previous point"), cursor(-1)});
    keys->add({{Qt::Key_Return, Qt::Key_Enter}, tr("Click at cursor"), [this] {
                   if (std::isfinite(keyCursor_)) Q_EMIT clickedAt(keyCursor_);
               }});
    keys->add({{shifted(Qt::Key_Right)}, tr("Pan right"), panned(true, 1)});
    keys->add({{shifted(Qt::Key_Left)}, tr("Pan left"), panned(true, -1)});
    keys->add({{Qt::Key_Up, shifted(Qt::Key_Up)}, tr("Pan up"), panned(false, 1)});
    keys->add({{Qt::Key_Down, shifted(Qt::Key_Down)}, tr("Pan down"), panned(false, -1)});
    keys->add({{Qt::Key_Plus, Qt::Key_Equal}, tr("Zoom in x at cursor"), zoomed(kZoomStep)});
    keys->add({{Qt::Key_Minus}, tr("Zoom out x at cursor"), zoomed(1 / kZoomStep)});
    keys->add({{QKeySequence(Qt::CTRL | Qt::Key_Up)}, tr("Zoom in y at cursor"), zoomedValues(kZoomStep)});
    keys->add(
        {{QKeySequence(Qt::CTRL | Qt::Key_Down)}, tr("Zoom out y at cursor"), zoomedValues(1 / kZoomStep)});
    keys->add({{Qt::Key_Home}, tr("Fit to data and follow new points"), [this] { resetView(); }});
    addZoomKeys(*keys);
    addRangeActions(*keys);
}

bool LineChart::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) {
        update();
        if (event->type() == QEvent::FocusOut && !underMouse()) cursor_->setVisible(false);
        queueReplot();
    }
    return QWidget::event(event);
}

void LineChart::zoomBy(double factor) {
    const QCPRange keys = plot_->xAxis->range();
    const double cursor = std::isfinite(keyCursor_) ? scales_.keys.toCoord(keyCursor_) : keys.center();
    plot_->xAxis->scaleRange(factor, keys.contains(cursor) ? cursor : keys.center());
}

/// At the value under the cursor, if it is visible.
void LineChart::zoomValuesBy(double factor) {
    const QCPRange values = plot_->yAxis->range();
    const double cursor = std::isfinite(keyCursor_)
                              ? scales_.values.toCoord(valueAt(cursorCurve(), keyCursor_))
                              : values.center();
    const double middle = scales_.values.isLog() ? std::sqrt(values.lower * values.upper) : values.center();
    plot_->yAxis->scaleRange(factor, values.contains(cursor) && std::isfinite(keyCursor_) ? cursor : middle);
}

QString LineChart::cursorCurve() const {
    if (const auto main = curves_.find(main_); main != curves_.end() && !main->second->empty()) return main_;
    for (const auto& [id, curve] : curves_)
        if (!curve->empty()) return id;
    return {};
}

void LineChart::moveKeyCursor(int step) {
    (void)plot();  // updates the axes
    const QString id = cursorCurve();
    if (id.isEmpty()) return;
    const ChartCurve& curve = *curves_.at(id);
    const QCPRange range = plot_->xAxis->range();
    // From outside the range it starts at the opposite edge; points within a pixel are one step.
    const double from = std::isfinite(keyCursor_) && range.contains(scales_.keys.toCoord(keyCursor_))
                            ? scales_.keys.toCoord(keyCursor_)
                            : (step > 0 ? range.lower - range.size() : range.upper + range.size());
    const double pixel = range.size() / std::max(1, plot_->axisRect()->width());
    keyCursor_ = curve.neighbour(from, step, std::isfinite(keyCursor_) ? pixel : 0, range.lower, range.upper);
    if (!std::isfinite(keyCursor_)) return;
    const double key = scales_.keys.toCoord(keyCursor_);
    const double value = scales_.values.toCoord(valueAt(id, keyCursor_));
    const QPointF at(plot_->xAxis->coordToPixel(key), plot_->yAxis->coordToPixel(value));
    const QRectF area = plot_->axisRect()->rect();
    placeHover(
        {at.x(), std::isfinite(at.y()) ? std::clamp(at.y(), area.top(), area.bottom()) : area.center().y()});
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
