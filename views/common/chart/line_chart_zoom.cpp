// Zooming in a LineChart: the wheel over the plot or one axis, a box, a range selected by keys, and the
// previous views.
#include <QMouseEvent>
#include <QWheelEvent>
#include <algorithm>
#include <cmath>

#include "views/common/chart/axis_glyphs.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/shell/page_wheel.h"
#include "views/common/shell/view_keys.h"

namespace kurve::views {

namespace {

constexpr int kLeastBox = 12;  ///< pixels: a flatter or narrower box zooms one axis only
constexpr std::size_t kMostViews = 50;
constexpr int kWheelKind = 4, kOwnStep = -1;  ///< for rememberView(): consecutive, or each a view of its own

bool differ(double a, double b, double length) {
    return std::abs(a - b) > 1e-9 * std::max(std::abs(length), 1e-300);
}

}  // namespace

void LineChart::buildZoom() {
    glyphs_ = new AxisGlyphs(plot_);
    rangeLine_ = new QCPItemStraightLine(plot_);
    for (QCPItemPosition* point : {rangeLine_->point1, rangeLine_->point2}) {
        point->setTypeX(QCPItemPosition::ptPlotCoords);
        point->setTypeY(QCPItemPosition::ptAxisRectRatio);
    }
    rangeLine_->setSelectable(false);
    rangeLine_->setVisible(false);
    connect(plot_, &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        boxing_ = event->button() == Qt::LeftButton && event->modifiers().testFlag(Qt::ShiftModifier) &&
                  plot_->axisRect()->rect().contains(event->pos());
        QColor tint = theme().accent;
        plot_->selectionRect()->setPen(QPen(tint, theme().scale));
        tint.setAlphaF(0.15F);
        plot_->selectionRect()->setBrush(tint);
        plot_->setSelectionRectMode(boxing_ ? QCP::srmCustom : QCP::srmNone);
    });
    connect(plot_->selectionRect(), &QCPSelectionRect::accepted, this, &LineChart::zoomToBox);
    new PageWheel(*plot_, *this);
    connect(plot_, &QCustomPlot::mouseWheel, this, [this](QWheelEvent* event) {
        // QCustomPlot zooms after this: that axis if over one, else the axes that the modifiers select.
        const bool across = event->modifiers().testFlag(Qt::ShiftModifier),
                   up = event->modifiers().testFlag(Qt::ControlModifier);
        plot_->axisRect()->setRangeZoom(across == up ? Qt::Horizontal | Qt::Vertical
                                        : across     ? Qt::Orientations(Qt::Horizontal)
                                                     : Qt::Orientations(Qt::Vertical));
        rememberView(kWheelKind);
        QMetaObject::invokeMethod(
            this, [this, before = view()] { viewChanged(before); }, Qt::QueuedConnection);
    });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent* event) {
        const QRect area = plot_->axisRect()->rect();
        if (event->pos().x() < area.left()) return editLimits(Qt::Vertical);
        if (event->pos().y() > area.bottom()) return editLimits(Qt::Horizontal);
        resetView();
    });
}

void LineChart::addZoomKeys(ViewKeys& keys) {
    keys.add(
        {{Qt::Key_Z}, tr("Select an x range from cursor; again: zoom to it"), [this] { selectRange(); }});
    keys.add(
        {{Qt::Key_Escape, QKeySequence(Qt::SHIFT | Qt::Key_Escape)},  // Shift is held while drawing the box
         tr("Cancel box or range"),
         [this] { cancelRange(); },
         {},
         [this] { return plot_->selectionRect()->isActive() || std::isfinite(rangeFrom_); }});
    keys.add({{Qt::Key_Backspace},
              tr("Previous view"),
              [this] { previousView(); },
              {},
              [this] { return !views_.empty(); }});
}

LineChart::View LineChart::view() const {
    const QCPRange keys = plot_->xAxis->range(), values = plot_->yAxis->range();
    return {keys.lower, keys.upper, values.lower, values.upper, following_, valuesZoomed_};
}

void LineChart::setView(const View& view) {
    plot_->xAxis->setRange(view.left, view.right);
    plot_->yAxis->setRange(view.bottom, view.top);
    following_ = view.following;
    valuesZoomed_ = view.valuesZoomed;
    touch();
}

void LineChart::rememberView(int kind) {
    if (kind != kOwnStep && kind == lastKind_ && !views_.empty()) return;
    lastKind_ = kind;
    views_.push_back(view());
    if (views_.size() > kMostViews) views_.erase(views_.begin());
}

void LineChart::previousView() {
    if (views_.empty()) return;
    const View before = views_.back();
    views_.pop_back();
    lastKind_ = kOwnStep;
    setView(before);
    showButtons(underMouse());
    if (before.following)
        Q_EMIT followChosen();
    else
        Q_EMIT keyRangeChosen(scales_.keys.toValue(before.left), scales_.keys.toValue(before.right));
}

/// A chart zoomed in y only keeps following its data along x.
void LineChart::viewChanged(const View& before) {
    const View now = view();
    const double width = now.right - now.left, height = now.top - now.bottom;
    const bool across = differ(now.left, before.left, width) || differ(now.right, before.right, width),
               up = differ(now.bottom, before.bottom, height) || differ(now.top, before.top, height);
    // Of a drag: the view when the button was pressed.
    if (std::exchange(pressedAndMoved_, false) && (across || up)) {
        views_.push_back(before);
        lastKind_ = kOwnStep;
    }
    if (across) {
        following_ = false;
        Q_EMIT keyRangeChosen(scales_.keys.toValue(now.left), scales_.keys.toValue(now.right));
    } else if (up) {
        valuesZoomed_ = true;
    }
    showButtons(underMouse());
    queueReplot();
}

void LineChart::resetView() {
    rememberView(kOwnStep);
    fit();
    Q_EMIT followChosen();
    showLimitsHint();
}

// ---- box and range ----

void LineChart::zoomToBox(const QRect& box) {
    const QRect area = plot_->axisRect()->rect(), part = box.normalized() & area;
    const bool across = part.width() >= kLeastBox, up = part.height() >= kLeastBox;
    pressedAndMoved_ = false;
    if (!across && !up) return queueReplot();
    const View before = view();
    rememberView(kOwnStep);
    if (across)
        plot_->xAxis->setRange(plot_->xAxis->pixelToCoord(part.left()),
                               plot_->xAxis->pixelToCoord(part.right() + 1));
    if (up)
        plot_->yAxis->setRange(plot_->yAxis->pixelToCoord(part.bottom() + 1),
                               plot_->yAxis->pixelToCoord(part.top()));
    viewChanged(before);
}

/// Both ends are set at the key cursor; y is fitted to the range.
void LineChart::selectRange() {
    if (!std::isfinite(keyCursor_)) moveKeyCursor(1);
    if (!std::isfinite(keyCursor_)) return;
    const double here = scales_.keys.toCoord(keyCursor_);
    if (!std::isfinite(rangeFrom_)) {
        rangeFrom_ = keyCursor_;
        rangeLine_->point1->setCoords(here, 0);
        rangeLine_->point2->setCoords(here, 1);
        rangeLine_->setVisible(true);
        return queueReplot();
    }
    const auto [low, high] = std::minmax({scales_.keys.toCoord(rangeFrom_), here});
    cancelRange();
    if (low == high) return;
    const View before = view();
    rememberView(kOwnStep);
    plot_->xAxis->setRange(low, high);
    following_ = false;
    fitValues();
    viewChanged(before);
}

void LineChart::cancelRange() {
    rangeFrom_ = std::numeric_limits<double>::quiet_NaN();
    rangeLine_->setVisible(false);
    if (plot_->selectionRect()->isActive()) plot_->selectionRect()->cancel();
    queueReplot();
}

}  // namespace kurve::views
