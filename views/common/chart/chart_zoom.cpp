#include "views/common/chart/chart_zoom.h"

#include <QMouseEvent>
#include <QWheelEvent>
#include <QWidget>
#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/chart/guide_line.h"
#include "views/common/shell/page_wheel.h"
#include "views/common/shell/view_keys.h"

namespace kurve::views {

namespace {

constexpr double kZoomStep = 0.8, kPanStep = 0.1;
constexpr int kLeastDrag = 5;  ///< pixels: a shorter one is a click where a drag draws a box
constexpr int kLeastBox = 12;  ///< pixels: a flatter or narrower box zooms one axis only
constexpr std::size_t kMostViews = 50;
/// For remember(): consecutive ones are one view, or each a view of its own.
constexpr int kPanX = 0, kPanY = 1, kZoomX = 2, kZoomY = 3, kWheelKind = 4, kOwnStep = -1;

bool differ(double a, double b, double length) {
    return std::abs(a - b) > 1e-9 * std::max(std::abs(length), 1e-300);
}

}  // namespace

ChartZoom::ChartZoom(QCustomPlot& plot, const ChartScales& scales, QWidget& chart)
    : QObject(&chart),
      plot_(plot),
      scales_(scales),
      chart_(chart),
      rangeLine_(new GuideLine(&plot, Qt::Vertical)) {
    rangeLine_->setVisible(false);
    plot.setInteractions(QCP::iRangeDrag | QCP::iRangeZoom);
    new PageWheel(plot, chart);
    connect(&plot, &QCustomPlot::mousePress, this, &ChartZoom::press);
    connect(&plot, &QCustomPlot::mouseMove, this, [this](const QMouseEvent* event) {
        if (event->buttons() & Qt::LeftButton) pressedAndMoved_ = true;
    });
    connect(&plot, &QCustomPlot::mouseRelease, this, &ChartZoom::release);
    connect(&plot, &QCustomPlot::mouseWheel, this, &ChartZoom::zoomByWheel);
    connect(plot.selectionRect(), &QCPSelectionRect::accepted, this, &ChartZoom::takeBox);
}

void ChartZoom::addKeys(ViewKeys& keys, const std::function<QPointF()>& cursor, Arrows arrows) {
    const auto add = [&](QList<QKeySequence> at, const QString& meaning, int kind, auto change) {
        keys.add({std::move(at), meaning, [this, kind, change] {
                      const View before = view();
                      remember(kind);
                      change();
                      note(before);
                  }});
    };
    const auto pan = [](QCPAxis* axis, int step) {
        return [axis, step] {
            axis->moveRange((axis->rangeReversed() ? -step : step) * kPanStep * axis->range().size());
        };
    };
    const auto zoom = [this, cursor](QCPAxis* axis, double factor) {
        return [this, cursor, axis, factor] {
            const bool across = axis == plot_.xAxis;
            const QCPRange shown = axis->range();
            const double at = across ? cursor().x() : cursor().y();
            const double middle =
                !across && scales_.values.isLog() ? std::sqrt(shown.lower * shown.upper) : shown.center();
            axis->scaleRange(factor, shown.contains(at) ? at : middle);
        };
    };
    const auto with = [](Qt::KeyboardModifier modifier, Qt::Key key) { return QKeySequence(modifier | key); };
    QCPAxis *x = plot_.xAxis, *y = plot_.yAxis;
    if (arrows == Arrows::Pan) {
        add({with(Qt::ShiftModifier, Qt::Key_Right)}, tr("Pan right"), kPanX, pan(x, 1));
        add({with(Qt::ShiftModifier, Qt::Key_Left)}, tr("Pan left"), kPanX, pan(x, -1));
        add({Qt::Key_Up, with(Qt::ShiftModifier, Qt::Key_Up)}, tr("Pan up"), kPanY, pan(y, 1));
        add({Qt::Key_Down, with(Qt::ShiftModifier, Qt::Key_Down)}, tr("Pan down"), kPanY, pan(y, -1));
        keys.add({{Qt::Key_Escape,
                   with(Qt::ShiftModifier, Qt::Key_Escape)},  // Shift is held while drawing the box
                  tr("Cancel box or range"),
                  [this] { cancelRange(); },
                  {},
                  [this] { return plot_.selectionRect()->isActive() || std::isfinite(rangeFrom_); }});
    }
    add({Qt::Key_Plus, Qt::Key_Equal}, tr("Zoom in x at cursor"), kZoomX, zoom(x, kZoomStep));
    add({Qt::Key_Minus}, tr("Zoom out x at cursor"), kZoomX, zoom(x, 1 / kZoomStep));
    add({with(Qt::ControlModifier, Qt::Key_Up)}, tr("Zoom in y at cursor"), kZoomY, zoom(y, kZoomStep));
    add({with(Qt::ControlModifier, Qt::Key_Down)}, tr("Zoom out y at cursor"), kZoomY,
        zoom(y, 1 / kZoomStep));
    keys.add({{Qt::Key_Backspace},
              tr("Previous view"),
              [this] { previousView(); },
              {},
              [this] { return !views_.empty(); }});
}

void ChartZoom::applyTheme() {
    rangeLine_->setPen(QPen(theme().accent, 1.5 * theme().scale, Qt::DashLine));
}

// ---- the view and those before ----

ChartZoom::View ChartZoom::view() const {
    const QCPRange keys = plot_.xAxis->range(), values = plot_.yAxis->range();
    return {keys.lower, keys.upper, values.lower, values.upper, following_, valuesZoomed_};
}

void ChartZoom::remember(int kind) {
    if (kind != kOwnStep && kind == lastKind_ && !views_.empty()) return;
    lastKind_ = kind;
    views_.push_back(view());
    if (views_.size() > kMostViews) views_.erase(views_.begin());
}

void ChartZoom::forget() {
    views_.clear();
    cancelRange();
}

void ChartZoom::follow() {
    following_ = true;
    valuesZoomed_ = false;
    Q_EMIT changed();
}

void ChartZoom::reset() {
    remember(kOwnStep);
    follow();
    Q_EMIT followChosen();
}

void ChartZoom::setKeyRange(double low, double high) {
    following_ = false;
    plot_.xAxis->setRange(scales_.keys.toCoord(low), scales_.keys.toCoord(high));
    Q_EMIT changed();
}

void ChartZoom::previousView() {
    if (views_.empty()) return;
    const View before = views_.back();
    views_.pop_back();
    lastKind_ = kOwnStep;
    plot_.xAxis->setRange(before.left, before.right);
    plot_.yAxis->setRange(before.bottom, before.top);
    following_ = before.following;
    valuesZoomed_ = before.valuesZoomed;
    Q_EMIT changed();
    if (following_)
        Q_EMIT followChosen();
    else
        Q_EMIT keyRangeChosen(scales_.keys.toValue(before.left), scales_.keys.toValue(before.right));
}

/// After a change by the user. A chart zoomed in y only keeps following its data along x.
void ChartZoom::note(const View& before) {
    const View now = view();
    const double width = now.right - now.left, height = now.top - now.bottom;
    const bool across = differ(now.left, before.left, width) || differ(now.right, before.right, width),
               up = differ(now.bottom, before.bottom, height) || differ(now.top, before.top, height);
    // Of a drag: the view when the button was pressed.
    if (std::exchange(pressedAndMoved_, false) && (across || up)) {
        views_.push_back(before);
        lastKind_ = kOwnStep;
    }
    if (across) following_ = false;
    if (up && !across) valuesZoomed_ = true;
    if (across) Q_EMIT keyRangeChosen(scales_.keys.toValue(now.left), scales_.keys.toValue(now.right));
    Q_EMIT changed();
}

// ---- the mouse ----

void ChartZoom::press(QMouseEvent* event) {
    pressedAndMoved_ = false;
    pressed_ = view();
    chart_.setFocus(Qt::MouseFocusReason);
    const bool shift = event->modifiers().testFlag(Qt::ShiftModifier);
    boxing_ = event->button() == Qt::LeftButton && (shift || drawsBoxes_) &&
              plot_.axisRect()->rect().contains(event->pos());
    zoomsToBox_ = shift;
    QColor tint = theme().accent;
    plot_.selectionRect()->setPen(QPen(tint, theme().scale));
    tint.setAlphaF(0.15F);
    plot_.selectionRect()->setBrush(tint);
    plot_.setSelectionRectMode(boxing_ ? QCP::srmCustom : QCP::srmNone);
}

void ChartZoom::release(QMouseEvent* event) {
    const QRect box = plot_.selectionRect()->rect().normalized();
    const bool dragged = std::max(box.width(), box.height()) >= kLeastDrag;
    const bool boxed = std::exchange(boxing_, false);
    if (boxed && (zoomsToBox_ || dragged)) return;  // takeBox() comes next
    if (pressedAndMoved_ && !boxed) return note(pressed_);
    if (event->button() == Qt::LeftButton && plot_.axisRect()->rect().contains(event->pos()))
        Q_EMIT clicked(event->position());
}

/// QCustomPlot zooms after this: that axis if over one, else the axes that the modifiers select.
void ChartZoom::zoomByWheel(QWheelEvent* event) {
    const bool across = event->modifiers().testFlag(Qt::ShiftModifier),
               up = event->modifiers().testFlag(Qt::ControlModifier);
    plot_.axisRect()->setRangeZoom(across == up ? Qt::Horizontal | Qt::Vertical
                                   : across     ? Qt::Orientations(Qt::Horizontal)
                                                : Qt::Orientations(Qt::Vertical));
    remember(kWheelKind);
    QMetaObject::invokeMethod(
        this, [this, before = view()] { note(before); }, Qt::QueuedConnection);
}

void ChartZoom::takeBox(const QRect& box) {
    if (drawsBoxes_ && !std::exchange(zoomsToBox_, false)) {
        pressedAndMoved_ = false;
        return Q_EMIT boxDrawn(box.normalized());
    }
    const QRect area = plot_.axisRect()->rect(), part = box.normalized() & area;
    const bool across = part.width() >= kLeastBox, up = part.height() >= kLeastBox;
    pressedAndMoved_ = false;
    const View before = view();
    if (across || up) remember(kOwnStep);
    if (across)
        plot_.xAxis->setRange(plot_.xAxis->pixelToCoord(part.left()),
                              plot_.xAxis->pixelToCoord(part.right() + 1));
    if (up)
        plot_.yAxis->setRange(plot_.yAxis->pixelToCoord(part.bottom() + 1),
                              plot_.yAxis->pixelToCoord(part.top()));
    note(before);
}

// ---- a range by keys ----

void ChartZoom::selectRange(double key) {
    if (!std::isfinite(rangeFrom_)) {
        rangeFrom_ = key;
        rangeLine_->setAt(key);
        rangeLine_->setVisible(true);
        return Q_EMIT changed();
    }
    const auto [low, high] = std::minmax({rangeFrom_, key});
    cancelRange();
    if (low == high) return;
    const View before = view();
    remember(kOwnStep);
    plot_.xAxis->setRange(low, high);
    following_ = false;
    Q_EMIT valuesFitWanted();
    note(before);
}

void ChartZoom::cancelRange() {
    rangeFrom_ = std::numeric_limits<double>::quiet_NaN();
    rangeLine_->setVisible(false);
    if (plot_.selectionRect()->isActive()) plot_.selectionRect()->cancel();
    Q_EMIT changed();
}

}  // namespace kurve::views
