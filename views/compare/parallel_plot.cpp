#include "views/compare/parallel_plot.h"

#include <QKeySequence>
#include <QMouseEvent>
#include <QPaintEngine>
#include <QPainter>
#include <QToolTip>
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <utility>

#include "views/common/data/run_catalog.h"
#include "views/common/form/controls.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme_listener.h"

namespace kurve::views {

namespace {
constexpr double kHitDistance = 12;      ///< pixels about an axis or a line
constexpr std::size_t kColourUpTo = 60;  ///< more lines than this share one colour

/// Straight up or down to a line that runs to the right; to a single point as it is.
double distanceTo(const QPolygonF& line, const QPointF& pixel) {
    if (line.size() == 1) return std::hypot(line[0].x() - pixel.x(), line[0].y() - pixel.y());
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
        const QPointF a = line[i], b = line[i + 1];
        if (pixel.x() < a.x() || pixel.x() > b.x() || b.x() <= a.x()) continue;
        return std::abs(a.y() + (b.y() - a.y()) * (pixel.x() - a.x()) / (b.x() - a.x()) - pixel.y());
    }
    return std::numeric_limits<double>::infinity();
}
}  // namespace

ParallelPlot::ParallelPlot(QWidget* parent) : QWidget(parent) {
    describe(this, "explore.parallel", QStringLiteral("Parallel coordinates of the runs"), {.role = "card"});
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    onThemeChange(this, &ParallelPlot::stale);
    addKeys();
}

void ParallelPlot::setRuns(std::vector<store::RunSummary> runs, std::vector<ExploreAxis> axes) {
    const auto in = [](const std::vector<ExploreAxis>& all, const std::string& key) {
        return std::ranges::find(all, key, &ExploreAxis::key);
    };
    const auto gone = std::erase_if(brushes_, [&](const auto& brush) {
        const auto now = in(axes, brush.first);
        return now == axes.end() || now->categories != in(axes_, brush.first)->categories;
    });
    for (auto& [key, brush] : brushes_) {
        const ExploreAxis &before = *in(axes_, key), &now = *in(axes, key);
        if (!now.categories.isEmpty()) continue;
        if (brush.from != 0) brush.from = now.positionOf(before.valueAt(brush.from));
        if (brush.to != 1) brush.to = now.positionOf(before.valueAt(brush.to));
    }
    runs_ = std::move(runs);
    axes_ = std::move(axes);
    stale();
    if (gone > 0) Q_EMIT brushed(terms());
}

void ParallelPlot::setChosen(const QStringList& ids) {
    chosen_ = ids;
    stale();
}

void ParallelPlot::clearBrushes() {
    brushes_.clear();
    stale();
    Q_EMIT brushed({});
}

void ParallelPlot::stale() {
    drawn_ = {};
    update();
}

double ParallelPlot::axisX(std::size_t axis) const {
    const double margin = px(64);
    const double room = width() - 2 * margin;
    return axes_.size() < 2
               ? width() / 2.0
               : margin + room * static_cast<double>(axis) / static_cast<double>(axes_.size() - 1);
}
double ParallelPlot::yOf(double position) const {
    const double top = px(44), bottom = height() - px(26);
    return bottom - position * (bottom - top);
}
double ParallelPlot::positionAt(double y) const {
    const double top = px(44), bottom = height() - px(26);
    return std::clamp((bottom - y) / (bottom - top), 0.0, 1.0);
}

int ParallelPlot::axisAt(double x) const {
    for (std::size_t i = 0; i < axes_.size(); ++i)
        if (std::abs(axisX(i) - x) <= kHitDistance * theme().scale) return static_cast<int>(i);
    return -1;
}

bool ParallelPlot::matches(const store::RunSummary& run) const {
    return std::ranges::all_of(axes_, [&](const ExploreAxis& axis) {
        const auto brush = brushes_.find(axis.key);
        if (brush == brushes_.end()) return true;
        const double position = axis.position(run);
        return position >= brush->second.from && position <= brush->second.to;
    });
}

QString ParallelPlot::terms() const {
    QStringList terms;
    for (const ExploreAxis& axis : axes_)
        if (const auto brush = brushes_.find(axis.key); brush != brushes_.end())
            if (const QString one = axis.terms(brush->second.from, brush->second.to); !one.isEmpty())
                terms << one;
    return terms.join(QLatin1Char(' '));
}

std::vector<QPolygonF> ParallelPlot::linesOf(const store::RunSummary& run) const {
    std::vector<QPolygonF> lines(1);
    for (std::size_t i = 0; i < axes_.size(); ++i)
        if (const double position = axes_[i].position(run); std::isfinite(position))
            lines.back() << QPointF(axisX(i), yOf(position));
        else if (!lines.back().isEmpty())
            lines.emplace_back();
    return lines;
}

void ParallelPlot::drawRuns(QPainter& painter) const {
    // Filtered-out runs first, then matching ones, then selected ones.
    for (const int layer : {0, 1, 2})
        for (const auto& run : runs_) {
            const QString id = QString::fromStdString(run.id);
            const bool kept = matches(run), chosen = chosen_.contains(id);
            if (layer != (chosen && kept ? 2 : kept ? 1 : 0)) continue;
            QPen pen = runStyle(id).pen(chosen ? 2.6 : 1.3);
            if (!kept || (runs_.size() > kColourUpTo && !chosen)) {
                QColor colour = kept ? theme().accent : theme().faint;
                colour.setAlphaF(kept ? 0.35f : 0.18f);
                pen = QPen(colour, theme().scale);
            }
            painter.setPen(pen);
            painter.setBrush(pen.color());
            for (const QPolygonF& line : linesOf(run)) {
                painter.drawPolyline(line);
                if (line.size() == 1) painter.drawEllipse(line.front(), px(2), px(2));  // between two gaps
            }
        }
}

void ParallelPlot::drawAxes(QPainter& painter) const {
    painter.setFont(smallFont());
    const QFontMetrics metrics(smallFont());
    const double gap = axes_.size() < 2 ? width() : axisX(1) - axisX(0);
    const auto centred = [&](double x, double y, const QString& text, const QColor& colour) {
        painter.setPen(colour);
        const QString shown = metrics.elidedText(
            text, Qt::ElideMiddle, static_cast<int>(std::min(gap, 160.0 * theme().scale)) - px(4));
        painter.drawText(QRectF(x - gap / 2, y, gap, metrics.height()), Qt::AlignHCenter, shown);
    };
    for (std::size_t i = 0; i < axes_.size(); ++i) {
        const ExploreAxis& axis = axes_[i];
        const double x = axisX(i);
        painter.setPen(QPen(theme().border, 1.4 * theme().scale));
        painter.drawLine(QPointF(x, yOf(0)), QPointF(x, yOf(1)));
        centred(x, px(6), QString::fromStdString(axis.key), theme().text);
        centred(x, px(24), axis.textAt(1) + (axis.log ? QStringLiteral(" (log)") : QString()), theme().muted);
        centred(x, yOf(0) + px(5), axis.textAt(0), theme().muted);
        const auto brush = brushes_.find(axis.key);
        if (brush == brushes_.end()) continue;
        QColor tint = theme().accent;
        tint.setAlphaF(0.25f);
        const double top = yOf(std::clamp(brush->second.to, 0.0, 1.0)),
                     bottom = yOf(std::clamp(brush->second.from, 0.0, 1.0));
        const QRectF box(x - px(6), top, px(12), bottom - top);
        painter.fillRect(box, tint);
        painter.setPen(QPen(theme().accent, 1.4 * theme().scale));
        painter.drawRect(box);
    }
}

void ParallelPlot::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    if (painter.paintEngine()->type() != QPaintEngine::Raster) {  // a figure: lines, not a picture
        painter.setRenderHint(QPainter::Antialiasing);
        drawRuns(painter);
        return drawAxes(painter);
    }
    if (drawn_.isNull()) {
        drawn_ = QPixmap(size() * devicePixelRatioF());
        drawn_.setDevicePixelRatio(devicePixelRatioF());
        drawn_.fill(theme().surface);
        QPainter once(&drawn_);
        once.setRenderHint(QPainter::Antialiasing);
        drawRuns(once);
        drawAxes(once);
    }
    painter.drawPixmap(0, 0, drawn_);
    if (!hasFocus() || keyAxis_ >= static_cast<int>(axes_.size())) return;
    painter.setPen(QPen(theme().accent, px(2)));
    const double x = axisX(static_cast<std::size_t>(keyAxis_));
    painter.drawRect(QRectF(x - px(14), px(2), px(28), height() - px(4)));
}

bool ParallelPlot::event(QEvent* event) {
    if (event->type() == QEvent::FocusIn || event->type() == QEvent::FocusOut) update();
    if (event->type() == QEvent::Resize || event->type() == QEvent::FontChange) stale();
    return QWidget::event(event);
}

void ParallelPlot::addKeys() {
    constexpr double kStep = 0.05;
    auto* keys = new ViewKeys(this, QStringLiteral("Parallel axes"));
    const auto add = [&](QList<QKeySequence> at, const char* meaning, std::function<void()> press) {
        keys->add({std::move(at), QString::fromUtf8(meaning), std::move(press), {}, [this] {
                       return !axes_.empty();
                   }});
    };
    add({Qt::Key_Right}, "Next axis", [this] { goToAxis(keyAxis_ + 1); });
    add({Qt::Key_Left}, "Previous axis", [this] { goToAxis(keyAxis_ - 1); });
    add({Qt::Key_Up}, "Raise upper limit", [this] { moveBrush(1, kStep); });
    add({Qt::Key_Down}, "Lower upper limit", [this] { moveBrush(1, -kStep); });
    add({QKeySequence(Qt::SHIFT | Qt::Key_Up)}, "Raise lower limit", [this] { moveBrush(0, kStep); });
    add({QKeySequence(Qt::SHIFT | Qt::Key_Down)}, "Lower lower limit", [this] { moveBrush(0, -kStep); });
    add({Qt::Key_Delete}, "Clear filter of this axis", [this] { clearBrush(); });
    add({Qt::Key_Home}, "Clear all filters", [this] { clearBrushes(); });
}

void ParallelPlot::goToAxis(int axis) {
    keyAxis_ = std::clamp(axis, 0, static_cast<int>(axes_.size()) - 1);
    update();
    announceBrush();
}

void ParallelPlot::clearBrush() {
    goToAxis(keyAxis_);
    brushes_.erase(axes_[static_cast<std::size_t>(keyAxis_)].key);
    stale();
    announceBrush();
    Q_EMIT brushed(terms());
}

/// edge 0: the lower one.
void ParallelPlot::moveBrush(int edge, double by) {
    keyAxis_ =
        std::clamp(keyAxis_, 0, static_cast<int>(axes_.size()) - 1);  // there may be fewer than there were
    Brush& brush = brushes_[axes_[static_cast<std::size_t>(keyAxis_)].key];  // new: all of the axis
    if (edge == 0)
        brush.from = std::clamp(brush.from + by, 0.0, std::clamp(brush.to, 0.0, 1.0));
    else
        brush.to = std::clamp(brush.to + by, std::clamp(brush.from, 0.0, 1.0), 1.0);
    stale();
    announceBrush();
    Q_EMIT brushed(terms());
}

void ParallelPlot::announceBrush() {
    const ExploreAxis& axis = axes_[static_cast<std::size_t>(keyAxis_)];
    const auto brush = brushes_.find(axis.key);
    const QString name = QString::fromStdString(axis.key);
    const QString text = brush == brushes_.end()
                             ? QStringLiteral("%1: all").arg(name)
                             : QStringLiteral("%1: %2 to %3")
                                   .arg(name, axis.textAt(brush->second.from), axis.textAt(brush->second.to));
    setAccessibleDescription(text);
    const QPoint at(static_cast<int>(axisX(static_cast<std::size_t>(keyAxis_))) + px(16), px(40));
    QToolTip::showText(mapToGlobal(at), text, this);
}

const store::RunSummary* ParallelPlot::runAt(const QPointF& pixel) const {
    const store::RunSummary* nearest = nullptr;
    double least = kHitDistance * theme().scale;
    for (const auto& run : runs_) {
        if (!matches(run)) continue;
        for (const QPolygonF& line : linesOf(run)) {
            const double off = distanceTo(line, pixel);
            if (off >= least) continue;
            least = off;
            nearest = &run;
        }
    }
    return nearest;
}

void ParallelPlot::mousePressEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    dragged_ = axisAt(event->position().x());
    dragStart_ = positionAt(event->position().y());
    moved_ = false;
}

void ParallelPlot::mouseMoveEvent(QMouseEvent* event) {
    if (dragged_ >= 0 && (event->buttons() & Qt::LeftButton)) {
        const double to = positionAt(event->position().y());
        moved_ = moved_ || std::abs(to - dragStart_) > 0.01;
        brushes_[axes_[static_cast<std::size_t>(dragged_)].key] = {std::min(dragStart_, to),
                                                                   std::max(dragStart_, to)};
        return stale();
    }
    setCursor(axisAt(event->position().x()) >= 0 ? Qt::SizeVerCursor : Qt::ArrowCursor);
    const store::RunSummary* run = runAt(event->position());
    QStringList lines;
    if (run) lines << runName(*run);
    for (const ExploreAxis& axis : axes_)
        if (run)
            lines << QStringLiteral("%1  %2").arg(
                QString::fromStdString(axis.key),
                std::isfinite(axis.position(*run)) ? axis.text(*run) : QStringLiteral("none"));
    setToolTip(lines.join(QLatin1Char('\n')));
}

void ParallelPlot::mouseReleaseEvent(QMouseEvent* event) {
    if (event->button() != Qt::LeftButton) return;
    const int axis = std::exchange(dragged_, -1);
    if (axis >= 0) {
        if (!moved_) brushes_.erase(axes_[static_cast<std::size_t>(axis)].key);
        stale();
        return Q_EMIT brushed(terms());
    }
    if (const auto* run = runAt(event->position())) Q_EMIT runChosen(QString::fromStdString(run->id));
}

std::vector<ViewTable> ParallelPlot::tables() const {
    ViewTable table{accessibleName(), {QStringLiteral("run")}, {}};
    for (const ExploreAxis& axis : axes_) table.columns << QString::fromStdString(axis.key);
    for (const auto& run : runs_) {
        if (!matches(run)) continue;
        std::vector<ViewTable::Cell> row{QString::fromStdString(run.id)};
        for (const ExploreAxis& axis : axes_) {
            const auto number = axis.number(run);
            row.push_back(number ? ViewTable::Cell(*number) : ViewTable::Cell(axis.text(run)));
        }
        table.rows.push_back(std::move(row));
    }
    return {table};
}

QSize ParallelPlot::minimumSizeHint() const {
    return {px(260), px(140)};
}

}  // namespace kurve::views
