#include "views/compare/scatter_plot.h"

#include <QLabel>
#include <QToolTip>
#include <algorithm>
#include <cmath>

#include "views/common/chart/log_ticker.h"
#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/view_picture.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr double kReach = 14;

/// Tick labels: round numbers by the axis' own scale, texts one by one.
class PlaceTicker : public LogTicker {
public:
    explicit PlaceTicker(ExploreAxis axis) : axis_(std::move(axis)) {}

protected:
    QVector<double> createTickVector(double, const QCPRange& range) override {
        QVector<double> ticks;
        if (axis_.categories.isEmpty()) {
            const QCPRange values(axis_.valueAt(range.lower), axis_.valueAt(range.upper));
            const double step = QCPAxisTicker::getTickStep(values);
            ticks = axis_.log
                        ? LogTicker::createTickVector(step, values)
                        // NOLINTNEXTLINE(bugprone-parent-virtual-call): a linear axis has the base's ticks
                        : QCPAxisTicker::createTickVector(step, values);
            for (double& tick : ticks) tick = axis_.positionOf(tick);
        }
        const qsizetype count = axis_.categories.size();
        for (qsizetype i = 0; i < count; ++i)
            ticks << static_cast<double>(i) / static_cast<double>(std::max<qsizetype>(1, count - 1));
        ticks.removeIf([&](double at) { return !range.contains(at); });
        return ticks;
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return axis_.textAt(tick); }
    int getSubTickCount(double) override { return 0; }

private:
    ExploreAxis axis_;
};

}  // namespace

ScatterPlot::ScatterPlot(QWidget* parent)
    : PlotCard(QStringLiteral("explore.scatter"), QStringLiteral("Scatter plot of the runs"), parent),
      x_(new ChoiceBox(QStringLiteral("explore.x"), QStringLiteral("x axis"))),
      y_(new ChoiceBox(QStringLiteral("explore.y"), QStringLiteral("y axis"))),
      marks_(*plot(), QStringLiteral("marks")) {
    for (QComboBox* box : {x_, y_}) box->setMinimumContentsLength(12);
    auto* head = boxed(hbox({{y_, 1}, new QLabel(QStringLiteral("vs.")), {x_, 1}}, {.margins = 0}));
    leaveOutOfFigures(*head);  // the axes have their names
    addToTitle(head, 4);
    for (QComboBox* box : {x_, y_})
        connect(box, &QComboBox::activated, this, [this] {
            setOtherAxes();
            draw();
            Q_EMIT axesChosen();
        });
    addKeys();
    zoom()->setDrawsBoxes();
    connect(zoom(), &ChartZoom::boxDrawn, this, &ScatterPlot::takeBox);
    connect(zoom(), &ChartZoom::clicked, this, [this](const QPointF& pixel) { choose(runAt(pixel)); });
    connect(this, &PlotCard::hovered, this, [this](double x, double y) {
        const store::RunSummary* run = runAt(pixelOf(*plot(), {x, y}));
        plot()->setToolTip(run ? textOf(*run) : QString());
    });
    connect(this, &PlotCard::restyled, this, &ScatterPlot::draw);
    connect(this, &PlotCard::left, this, &ScatterPlot::showCursor);
}

void ScatterPlot::addKeys() {
    const auto fitAll = [this] {
        for (QCPAxis* axis : {plot()->xAxis, plot()->yAxis}) axis->setRange(-0.06, 1.06);
    };
    const auto cursor = [this] {
        const auto* run = runOf(cursor_);
        return run ? positionOf(*run) : QPointF(NAN, NAN);
    };
    ViewKeys& keys = makeZoomable({QStringLiteral("Scatter plot"), fitAll, cursor});
    keys.add({{Qt::Key_Right}, QStringLiteral("Next run"), [this] { moveCursor(1); }});
    keys.add({{Qt::Key_Left}, QStringLiteral("Previous run"), [this] { moveCursor(-1); }});
    keys.add({{Qt::Key_Return, Qt::Key_Enter},
              QStringLiteral("Select run"),
              [this] { choose(runOf(cursor_)); },
              {},
              [this] { return runOf(cursor_) != nullptr; }});
}

void ScatterPlot::moveCursor(int step) {
    std::vector<const store::RunSummary*> order;
    for (const auto& run : runs_)
        if (plot()->xAxis->range().contains(positionOf(run).x()) &&
            plot()->yAxis->range().contains(positionOf(run).y()))
            order.push_back(&run);
    if (order.empty()) return;
    std::ranges::stable_sort(order, {}, [this](const auto* run) { return positionOf(*run).x(); });
    const auto here = std::ranges::find(order, runOf(cursor_));
    const auto last = std::ssize(order) - 1, at = here - order.begin();
    const auto next =
        here == order.end() ? (step > 0 ? 0 : last) : std::clamp(at + step, std::ptrdiff_t{0}, last);
    const store::RunSummary& run = *order[static_cast<std::size_t>(next)];
    cursor_ = QString::fromStdString(run.id);
    showCursor();
    const QPoint pixel = pixelOf(*plot(), positionOf(run)).toPoint();
    plot()->setAccessibleDescription(textOf(run));
    QToolTip::showText(plot()->mapToGlobal(pixel + QPoint(px(6), 0)), textOf(run), plot());
}

void ScatterPlot::showCursor() {
    const store::RunSummary* run = plot()->hasFocus() ? runOf(cursor_) : nullptr;
    if (run == nullptr) {
        marks_.show({});
        return queueReplot();
    }
    const QPointF at = positionOf(*run);
    ChartLayer ring{ChartLayer::Form::Points, {}, {at.x()}, {at.y()}};
    ring.marker = {QCPScatterStyle::ssCircle, QPen(theme().accent, 2), Qt::NoBrush, double(px(19))};
    marks_.show({ring});
    queueReplot();
}

void ScatterPlot::choose(const store::RunSummary* run) {
    if (run != nullptr) Q_EMIT runChosen(QString::fromStdString(run->id));
}

void ScatterPlot::setRuns(std::vector<store::RunSummary> runs, const std::vector<ExploreAxis>& axes) {
    runs_ = std::move(runs);
    axes_ = axes;
    fillAxes();
    draw();
}

void ScatterPlot::setMatching(const QStringList& ids) {
    matching_ = QSet<QString>(ids.begin(), ids.end());
    draw();
}
void ScatterPlot::setChosen(const QStringList& ids) {
    chosen_ = ids;
    draw();
}

void ScatterPlot::fillAxes() {
    BoxChoices keys;
    int firstMetric = -1, firstNumber = -1;
    for (const ExploreAxis& axis : axes_) {
        if (axis.metric && firstMetric < 0) firstMetric = static_cast<int>(keys.size());
        if (!axis.metric && axis.categories.isEmpty() && firstNumber < 0)
            firstNumber = static_cast<int>(keys.size());
        keys.append({QString::fromStdString(axis.key), QString::fromStdString(axis.key)});
    }
    const QStringList before{x_->currentText(), y_->currentText()};
    x_->offer(keys, keys.value(firstNumber).first);
    y_->offer(keys, keys.value(firstMetric).first);
    if (before != QStringList{x_->currentText(), y_->currentText()}) setOtherAxes();
}

void ScatterPlot::wantAxes(const QString& x, const QString& y) {
    x_->want(x);
    y_->want(y);
    setOtherAxes();
    draw();
}

std::pair<QString, QString> ScatterPlot::wantedAxes() const {
    return {x_->wanted(), y_->wanted()};
}

const ExploreAxis* ScatterPlot::axis(const ChoiceBox* box) const {
    const auto at = static_cast<std::size_t>(box->currentIndex());
    return box->currentIndex() >= 0 && at < axes_.size() ? &axes_[at] : nullptr;
}

void ScatterPlot::draw() {
    const ExploreAxis *x = axis(x_), *y = axis(y_);
    if (!x || !y) return setLayers({});
    plot()->xAxis->setTicker(QSharedPointer<PlaceTicker>::create(*x));
    plot()->yAxis->setTicker(QSharedPointer<PlaceTicker>::create(*y));
    setAxisTitle(plot()->xAxis, QString::fromStdString(x->key));
    setAxisTitle(plot()->yAxis, QString::fromStdString(y->key));
    std::vector<ChartLayer> layers;
    for (const bool front : {false, true})
        for (const auto& run : runs_) {
            const QString id = QString::fromStdString(run.id);
            const QPointF at = positionOf(run);
            if (matching_.contains(id) != front || !std::isfinite(at.x()) || !std::isfinite(at.y())) continue;
            RunStyle style = runStyle(id);
            if (!front) style.color.setAlphaF(0.22f);
            layers.push_back({ChartLayer::Form::Points, runName(run), {at.x()}, {at.y()}});
            layers.back().marker = runMarker(style, chosen_.contains(id) ? 13 : 8);
        }
    setLayers(layers);
    showCursor();
    fitData();
}

void ScatterPlot::takeBox(const QRect& box) {
    const ExploreAxis *x = axis(x_), *y = axis(y_);
    if (!x || !y || box.width() < 4 || box.height() < 4) return;
    const QPointF from = coordsOf(*plot(), box.bottomLeft()), to = coordsOf(*plot(), box.topRight());
    QStringList terms{x->terms(from.x(), to.x()), y->terms(from.y(), to.y())};
    terms.removeAll(QString());
    Q_EMIT brushed(terms.join(QLatin1Char(' ')));
}

QPointF ScatterPlot::positionOf(const store::RunSummary& run) const {
    const ExploreAxis *x = axis(x_), *y = axis(y_);
    return x && y ? QPointF(x->position(run), y->position(run)) : QPointF(NAN, NAN);
}

const store::RunSummary* ScatterPlot::runAt(const QPointF& pixel) const {
    const auto run = nearestPoint(pixel, kReach * theme().scale, runs_.size(),
                                  [&](std::size_t i) { return pixelOf(*plot(), positionOf(runs_[i])); });
    return run ? &runs_[*run] : nullptr;
}

const store::RunSummary* ScatterPlot::runOf(const QString& id) const {
    const auto run = std::ranges::find(runs_, id.toStdString(), &store::RunSummary::id);
    return run == runs_.end() ? nullptr : &*run;
}

QString ScatterPlot::textOf(const store::RunSummary& run) const {
    return QStringLiteral("%1\n%2  %3\n%4  %5")
        .arg(runName(run), x_->currentText(), axis(x_)->text(run), y_->currentText(), axis(y_)->text(run));
}

std::vector<ViewTable> ScatterPlot::tables() const {
    return {};  // the same runs and numbers as the parallel axes beside it
}

}  // namespace kurve::views
