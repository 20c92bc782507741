// What a LineChart reads out, by mouse and by keys: values, the nearest curve, clicks, the context menu; and
// the editor of its axis limits.
#include <algorithm>
#include <cmath>
#include <limits>

#include <QAction>
#include <QContextMenuEvent>
#include <QDateTime>
#include <QMetaMethod>
#include <QToolTip>

#include "views/common/chart/chart_head.h"
#include "views/common/chart/guide_line.h"
#include "views/common/chart/limits_editor.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/plot_points.h"
#include "views/common/shell/view_keys.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr double kReach = 14;  ///< pixels within which a curve is picked

/// One curve's value under the pointer.
struct HoverLine {
    QString text;
    double off = 0;  ///< pixels from the pointer; -1 for the nearest curve
};

/// As many as fit a tip, those nearest to the pointer, in the order in which the curves stand.
QStringList closest(std::vector<HoverLine> all) {
    constexpr std::size_t kMostLines = 16;
    double limit = std::numeric_limits<double>::infinity();
    if (all.size() > kMostLines) {
        std::vector<double> offs;
        for (const HoverLine& line : all) offs.push_back(line.off);
        std::nth_element(offs.begin(), offs.begin() + kMostLines - 1, offs.end());
        limit = offs[kMostLines - 1];
    }
    QStringList lines;
    for (const HoverLine& line : all)
        if (line.off <= limit && lines.size() < static_cast<qsizetype>(kMostLines)) lines << line.text;
    if (all.size() > kMostLines)
        lines << LineChart::tr("… and %1 more").arg(all.size() - static_cast<std::size_t>(lines.size()));
    return lines;
}

}  // namespace

void LineChart::buildPlot() {
    plot_->setMinimumSize(px(120), px(70));
    plot_->setAccessibleName(title_);
    plot_->setFocusPolicy(Qt::NoFocus);  // the chart itself has the focus
    setFocusPolicy(Qt::StrongFocus);
    plot_->xAxis->setNumberPrecision(6);
    for (GuideLine* line : {playhead_, cursor_}) line->setVisible(false);
    connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) {
        placeHover(event->position());
        queueReplot();
    });
    connect(plot_, &QCustomPlot::mouseDoubleClick, this, [this](QMouseEvent* event) {
        const QRect area = plot_->axisRect()->rect();
        if (event->pos().x() < area.left()) return editLimits(Qt::Vertical);
        if (event->pos().y() > area.bottom()) return editLimits(Qt::Horizontal);
        resetView();
    });
    connect(head_, &ChartHead::keyScaleClicked, this, &LineChart::nextKeyScale);
    connect(head_, &ChartHead::valueScaleClicked, this, &LineChart::nextValueScale);
    connect(head_, &ChartHead::fitClicked, this, &LineChart::resetView);
    connect(zoom_, &ChartZoom::clicked, this, [this](const QPointF& pixel) {
        const QString id = curveAt(pixel);
        Q_EMIT clickedAt(scales_.keys.toValue(plot_->xAxis->pixelToCoord(pixel.x())));
        if (!id.isEmpty()) Q_EMIT curveClicked(id);
    });
    connect(zoom_, &ChartZoom::changed, this, [this] {
        showButtons(underMouse());
        queueReplot();
    });
    connect(zoom_, &ChartZoom::valuesFitWanted, this, &LineChart::fitValues);
    connect(zoom_, &ChartZoom::keyRangeChosen, this, &LineChart::keyRangeChosen);
    connect(zoom_, &ChartZoom::followChosen, this, &LineChart::touch);
    connect(zoom_, &ChartZoom::followChosen, this, &LineChart::followChosen);
}

std::vector<ViewTable> LineChart::tables() const {
    const QString key = keyTitle_.isEmpty() ? QStringLiteral("x") : keyTitle_;
    ViewTable table{title_, {QStringLiteral("curve"), key, title_}, {}};
    for (const auto& [id, curve] : curves_) {
        const QString& label = curve->spec().label;
        const auto named = std::ranges::count_if(
            curves_, [&](const auto& other) { return other.second->spec().label == label; });
        const QString& name = named > 1 || (label.isEmpty() && curves_.size() > 1) ? id
                              : label.isEmpty()                                    ? title_
                                                                                   : label;
        const ChartCurve::Points points = curve->points();
        for (std::size_t i = 0; i < points.x.size(); ++i)
            table.rows.push_back({name, points.x[i], points.y[i]});
    }
    return {table};
}

double LineChart::valueAt(const QString& id, double x) const {
    const auto found = curves_.find(id);
    return found == curves_.end() ? std::numeric_limits<double>::quiet_NaN()
                                  : found->second->nearest(x, true).second;
}

std::optional<double> LineChart::lastValue(const QString& id) const {
    const auto found = curves_.find(id);
    if (found == curves_.end() || found->second->empty()) return std::nullopt;
    return found->second->last();
}

QString LineChart::curveAt(const QPointF& pixel) const {
    QString nearest;
    double least = kReach * theme().scale;
    for (const auto& [id, curve] : curves_) {
        const double off = curve->distance(pixel);
        if (off < 0 || off > least) continue;
        least = off;
        nearest = id;
    }
    return nearest;
}

void LineChart::contextMenuEvent(QContextMenuEvent* event) {
    if (!isSignalConnected(QMetaMethod::fromSignal(&LineChart::menuRequested))) return event->ignore();
    const QPointF position = plot_->mapFrom(this, event->pos());
    Q_EMIT menuRequested(curveAt(position), scales_.keys.toValue(plot_->xAxis->pixelToCoord(position.x())),
                         event->globalPos());
}

void LineChart::placeHover(const QPointF& pixel) {
    // The axes' far ends are one pixel outside their rectangle.
    const bool inside = plot_->axisRect()->rect().adjusted(0, 0, 1, 1).contains(pixel.toPoint());
    cursor_->setVisible(inside);
    const QString meant = inside ? curveAt(pixel) : QString();
    point(meant);
    if (!inside) return plot_->setToolTip({});
    const double at = plot_->xAxis->pixelToCoord(pixel.x()), x = scales_.keys.toValue(at);
    const bool dates = areDates();
    QStringList lines;
    cursor_->setAt(at);
    const QString nearest = curves_.size() > 1 ? meant : QString();
    std::vector<HoverLine> values;
    for (const auto& [id, curve] : curves_) {
        if (curve->empty()) continue;
        const auto [key, value] = curve->nearest(x, false);
        if (lines.isEmpty())
            lines << QStringLiteral("%1 %2").arg(
                keyTitle_, dates ? QDateTime::fromMSecsSinceEpoch(static_cast<qint64>(key * 1000))
                                       .toString(QStringLiteral("yyyy-MM-dd HH:mm:ss"))
                                 : numberText(key, 8));
        const QString line = QStringLiteral("%1  %2").arg(
            curve->spec().label.isEmpty() ? title_ : curve->spec().label, numberText(value, 6));
        const double off = std::abs(plot_->yAxis->coordToPixel(scales_.values.toCoord(value)) - pixel.y());
        if (id == nearest)
            values.push_back({QStringLiteral("▸ %1").arg(line), -1});
        else
            values.push_back({line, std::isfinite(off) ? off : std::numeric_limits<double>::max()});
    }
    lines += closest(std::move(values));
    const double reach = scales_.keys.toValue(plot_->xAxis->pixelToCoord(pixel.x() + px(5))) - x;
    for (const Mark& mark : marks_)
        if (std::abs(mark.x - x) <= reach) lines << QStringLiteral("▲ %1: %2").arg(mark.kind, mark.text);
    if (const QString outside = outsideText(); !outside.isEmpty()) lines << outside;
    plot_->setToolTip(lines.join(QLatin1Char('\n')));
}

void LineChart::showButtons(bool hovered) {
    head_->showButtons(hovered, !zoom_->isAutomatic());
}

void LineChart::enterEvent(QEnterEvent* event) {
    QWidget::enterEvent(event);
    showButtons(true);
}

void LineChart::leaveEvent(QEvent* event) {
    QWidget::leaveEvent(event);
    showButtons(false);
    hidePointer();
}

void LineChart::prepareFigure() {
    hidePointer();
    (void)plot();  // the legend, too
}

void LineChart::hidePointer() {
    point({});
    cursor_->setVisible(false);
    queueReplot();
}

void LineChart::point(const QString& curve) {
    if (std::exchange(hovered_, curve) != curve) Q_EMIT curveHovered(curve);
}

// ---- keys ----

void LineChart::addKeys() {
    auto* keys = new ViewKeys(this, tr("Chart"));
    const auto cursor = [this](int step) { return [this, step] { moveKeyCursor(step); }; };
    keys->add({{Qt::Key_Right}, tr("Next point"), cursor(1)});
    keys->add({{Qt::Key_Left}, tr("Previous point"), cursor(-1)});
    keys->add({{Qt::Key_Return, Qt::Key_Enter}, tr("Click at cursor"), [this] {
                   if (std::isfinite(keyCursor_)) Q_EMIT clickedAt(keyCursor_);
               }});
    keys->add({{Qt::Key_Home}, tr("Fit to data and follow new points"), [this] { resetView(); }});
    keys->add({{Qt::Key_Z}, tr("Select an x range from cursor; again: zoom to it"), [this] {
                   if (!std::isfinite(keyCursor_)) moveKeyCursor(1);
                   if (std::isfinite(keyCursor_)) zoom_->selectRange(scales_.keys.toCoord(keyCursor_));
               }});
    zoom_->addKeys(*keys, [this] { return keyCursorPoint(); });
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

QString LineChart::cursorCurve() const {
    if (const auto main = curves_.find(main_); main != curves_.end() && !main->second->empty()) return main_;
    for (const auto& [id, curve] : curves_)
        if (!curve->empty()) return id;
    return {};
}

QPointF LineChart::keyCursorPoint() const {
    if (!std::isfinite(keyCursor_)) return {keyCursor_, keyCursor_};
    return {scales_.keys.toCoord(keyCursor_), scales_.values.toCoord(valueAt(cursorCurve(), keyCursor_))};
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
    const QPointF at = pixelOf(*plot_, keyCursorPoint());
    const QRectF area = plot_->axisRect()->rect();
    placeHover(
        {at.x(), std::isfinite(at.y()) ? std::clamp(at.y(), area.top(), area.bottom()) : area.center().y()});
    setAccessibleDescription(plot_->toolTip());
    QToolTip::showText(plot_->mapToGlobal(at.toPoint() + QPoint(px(6), 0)), plot_->toolTip(), this);
    queueReplot();
}

// ---- limits ----

/// Each is a key of the chart and an entry of its context menu.
void LineChart::addRangeActions(ViewKeys& keys) {
    const auto add = [&](QKeySequence key, const QString& text, auto run) {
        auto* action = new QAction(text + QLatin1Char('\t') + key.toString(QKeySequence::NativeText), this);
        action->setObjectName(objectName() + QLatin1Char('.') + QString::number(actions().size()));
        connect(action, &QAction::triggered, this, run);
        addAction(action);
        keys.add({{key}, text, [action] { action->trigger(); }});
        return action;
    };
    add(Qt::Key_L, tr("Set y limits…"), [this] { editLimits(Qt::Vertical); });
    add(Qt::SHIFT | Qt::Key_L, tr("Set x limits…"), [this] { editLimits(Qt::Horizontal); });
    add(Qt::Key_U, tr("Reset axis limits"), [this] { unlock(); });
    outliers_ =
        add(Qt::SHIFT | Qt::Key_F, tr("Fit without outliers"), [this](bool on) { setIgnoringOutliers(on); });
    outliers_->setCheckable(true);
    auto* back = new QAction(tr("Previous view") + QLatin1Char('\t') +
                                 QKeySequence(Qt::Key_Backspace).toString(QKeySequence::NativeText),
                             this);
    connect(back, &QAction::triggered, zoom_, &ChartZoom::previousView);
    addAction(back);
}

void LineChart::setKeyLimits(const AxisLimits& limits) {
    if (limits == ranges_.keyLimits) return;
    ranges_.keyLimits = limits;
    fit();
    Q_EMIT keyLimitsChanged();
}

void LineChart::setValueLimits(const AxisLimits& limits) {
    if (limits == ranges_.valueLimits) return;
    ranges_.valueLimits = limits;
    refitValues();
}

void LineChart::setIgnoringOutliers(bool on) {
    if (on == ranges_.ignoresOutliers) return;
    ranges_.ignoresOutliers = on;
    outliers_->setChecked(on);
    refitValues();
}

/// Also while the x range was set by the user.
void LineChart::refitValues() {
    zoom_->followValues();
    settle();
    if (!curves_.empty()) fitValues();
    touch();
    showButtons(underMouse());
    Q_EMIT rangeChoiceChanged();
}

void LineChart::unlock() {
    setKeyLimits({});
    setValueLimits({});
}

void LineChart::editLimits(Qt::Orientation axis) {
    if (editor_) editor_->finish();
    const bool across = axis == Qt::Horizontal;
    const QCPRange range = (across ? plot()->xAxis : plot()->yAxis)->range();
    const AxisScale& scale = across ? scales_.keys : scales_.values;
    LimitsEditor::Axis about{across ? (keyTitle_.isEmpty() ? tr("x") : keyTitle_) : tr("y"),
                             across ? ranges_.keyLimits : ranges_.valueLimits,
                             {scale.toValue(range.lower), scale.toValue(range.upper)},
                             across && areDates() ? LimitForm::Date : LimitForm::Number,
                             scale.isLog() ? LimitValues::Positive : LimitValues::All};
    editor_ = new LimitsEditor(objectName() + QStringLiteral(".limits"), std::move(about), this);
    connect(editor_, &LimitsEditor::chosen, this, [this, across](const AxisLimits& limits) {
        across ? setKeyLimits(limits) : setValueLimits(limits);
    });
    connect(editor_, &LimitsEditor::finished, this, [this, editor = editor_.data()] {
        if (editor->isAncestorOf(focusWidget()) || editor->isAncestorOf(window()->focusWidget()))
            setFocus(Qt::OtherFocusReason);
    });
    editor_->adjustSize();
    const QRect area = plot_->axisRect()->rect().translated(plot_->pos());
    const int left = std::min(area.left() + px(4), width() - editor_->width() - px(2));
    const int top = across ? area.bottom() - editor_->height() - px(4) : area.top() + px(4);
    editor_->move(std::max(px(2), left), std::clamp(top, 0, std::max(0, height() - editor_->height())));
    editor_->show();
    editor_->raise();
    editor_->setFocus(Qt::OtherFocusReason);
}

void LineChart::resetView() {
    zoom_->reset();
    showLimitsHint();
}

/// Fitting keeps the limits; says so at the axes.
void LineChart::showLimitsHint() {
    if (!ranges_.keyLimits.any() && !ranges_.valueLimits.any()) return;
    const QString axes = !ranges_.valueLimits.any() ? tr("x limits kept")
                         : !ranges_.keyLimits.any() ? tr("y limits kept")
                                                    : tr("x and y limits kept");
    QToolTip::showText(plot_->mapToGlobal(plot_->axisRect()->rect().topLeft()),
                       tr("%1; U resets them, L and Shift+L edit them").arg(axes), this);
}

QJsonObject LineChart::saveRange() const {
    QJsonObject all;
    if (ranges_.valueLimits.any()) all.insert(QStringLiteral("y"), saveLimits(ranges_.valueLimits));
    if (ranges_.ignoresOutliers) all.insert(QStringLiteral("outliers"), false);
    return all;
}

void LineChart::restoreRange(const QJsonObject& saved) {
    setValueLimits(limitsOf(saved.value(QStringLiteral("y"))));
    setIgnoringOutliers(!saved.value(QStringLiteral("outliers")).toBool(true));
}

}  // namespace kurve::views
