#include "views/compare/scatter_plot.h"

#include <QComboBox>
#include <QLabel>
#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "views/common/chart/log_ticker.h"
#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/view_picture.h"
#include "views/common/form/choice_box.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
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
            ticks = axis_.log ? LogTicker::createTickVector(step, values)
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
    : QWidget(parent),
      x_(new ChoiceBox(QStringLiteral("explore.x"), QStringLiteral("x axis"))),
      y_(new ChoiceBox(QStringLiteral("explore.y"), QStringLiteral("y axis"))),
      plot_(new QCustomPlot),
      layers_(*plot_) {
    describe(this, "explore.scatter", QStringLiteral("Scatter plot of the runs"), {.role = "card"});
    for (QComboBox* box : {x_, y_}) box->setMinimumContentsLength(12);
    plot_->setAccessibleName(accessibleName());
    plot_->setSelectionRectMode(QCP::srmCustom);
    plot_->installEventFilter(this);
    auto* head = hbox({{y_, 1}, new QLabel(QStringLiteral("vs.")), {x_, 1}});
    leaveOutOfFigures(*head);  // the axes have their names
    vboxIn(this, {head, {plot_, 1}}, {.margins = {space::kSmall, space::kTight}});
    for (QComboBox* box : {x_, y_})
        connect(box, &QComboBox::activated, this, [this, box] {
            (box == x_ ? wantedX_ : wantedY_) = box->currentText();
            draw();
            Q_EMIT axesChosen();
        });
    connect(plot_->selectionRect(), &QCPSelectionRect::accepted, this,
            [this](const QRect& box) { takeBox(box.normalized()); });
    connect(plot_, &QCustomPlot::mouseMove, this, [this](QMouseEvent* event) { hover(event->position()); });
    connect(themeNotifier(), &ThemeNotifier::changed, this, &ScatterPlot::draw);
}

void ScatterPlot::setRuns(std::vector<store::RunSummary> runs, const std::vector<ExploreAxis>& axes) {
    runs_ = std::move(runs);
    axes_ = axes;
    fillAxes();
    draw();
}

void ScatterPlot::setMatching(const QStringList& ids) {
    matching_ = ids;
    draw();
}
void ScatterPlot::setChosen(const QStringList& ids) {
    chosen_ = ids;
    draw();
}

void ScatterPlot::fillAxes() {
    QStringList keys;
    int firstMetric = -1, firstNumber = -1;
    for (const ExploreAxis& axis : axes_) {
        if (axis.metric && firstMetric < 0) firstMetric = static_cast<int>(keys.size());
        if (!axis.metric && axis.categories.isEmpty() && firstNumber < 0)
            firstNumber = static_cast<int>(keys.size());
        keys << QString::fromStdString(axis.key);
    }
    for (QComboBox* box : {x_, y_}) {
        QStringList have;
        for (int i = 0; i < box->count(); ++i) have << box->itemText(i);
        if (have != keys) {
            box->clear();
            box->addItems(keys);
        }
        const QString& wanted = box == x_ ? wantedX_ : wantedY_;
        const int first = box == y_ ? firstMetric : firstNumber;
        box->setCurrentIndex(keys.contains(wanted) ? static_cast<int>(keys.indexOf(wanted))
                                                   : std::max(first, 0));
    }
}

void ScatterPlot::wantAxes(const QString& x, const QString& y) {
    wantedX_ = x;
    wantedY_ = y;
    fillAxes();
    draw();
}

const ExploreAxis* ScatterPlot::axis(const QComboBox* box) const {
    const auto at = static_cast<std::size_t>(box->currentIndex());
    return box->currentIndex() >= 0 && at < axes_.size() ? &axes_[at] : nullptr;
}

void ScatterPlot::draw() {
    stylePlot(plot_);
    const ExploreAxis *x = axis(x_), *y = axis(y_);
    if (!x || !y) {
        layers_.show({});
        return plot_->replot(QCustomPlot::rpQueuedReplot);
    }
    plot_->xAxis->setTicker(QSharedPointer<PlaceTicker>::create(*x));
    plot_->yAxis->setTicker(QSharedPointer<PlaceTicker>::create(*y));
    setAxisTitle(plot_->xAxis, QString::fromStdString(x->key));
    setAxisTitle(plot_->yAxis, QString::fromStdString(y->key));
    plot_->xAxis->setRange(-0.06, 1.06);
    plot_->yAxis->setRange(-0.06, 1.06);
    std::vector<ChartLayer> layers;
    for (const bool front : {false, true})
        for (const auto& run : runs_) {
            const QString id = QString::fromStdString(run.id);
            if (matching_.contains(id) != front) continue;
            const double across = x->position(run), up = y->position(run);
            if (!std::isfinite(across) || !std::isfinite(up)) continue;  // it lacks one of the two
            RunStyle style = runStyle(id);
            if (!front) style.color.setAlphaF(0.22f);
            const QString name = QString::fromStdString(run.name.empty() ? run.id : run.name);
            layers.push_back({ChartLayer::Form::Points, name, {across}, {up}});
            layers.back().marker = runMarker(style, chosen_.contains(id) ? 13 : 8);
        }
    layers_.show(layers);
    plot_->replot(QCustomPlot::rpQueuedReplot);
}

void ScatterPlot::takeBox(const QRect& box) {
    const ExploreAxis *x = axis(x_), *y = axis(y_);
    if (!x || !y || box.width() < 4 || box.height() < 4) return;
    const QPointF from = coordsOf(*plot_, box.bottomLeft()), to = coordsOf(*plot_, box.topRight());
    QStringList terms{x->terms(from.x(), to.x()), y->terms(from.y(), to.y())};
    terms.removeAll(QString());
    Q_EMIT brushed(terms.join(QLatin1Char(' ')));
}

const store::RunSummary* ScatterPlot::runAt(const QPointF& pixel) const {
    const ExploreAxis *x = axis(x_), *y = axis(y_);
    if (!x || !y) return nullptr;
    const auto run = nearestPoint(pixel, kReach * theme().scale, runs_.size(), [&](std::size_t i) {
        return pixelOf(*plot_, {x->position(runs_[i]), y->position(runs_[i])});
    });
    return run ? &runs_[*run] : nullptr;
}

void ScatterPlot::hover(const QPointF& pixel) {
    const store::RunSummary* run = runAt(pixel);
    plot_->setToolTip(run ? QStringLiteral("%1\n%2  %3\n%4  %5")
                                .arg(QString::fromStdString(run->name), x_->currentText(),
                                     axis(x_)->text(*run), y_->currentText(), axis(y_)->text(*run))
                          : QString());
}

bool ScatterPlot::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::MouseButtonRelease) {
        const auto* mouse = static_cast<QMouseEvent*>(event);
        const bool box = plot_->selectionRect()->rect().size().width() > 4;
        const auto* run = mouse->button() == Qt::LeftButton && !box ? runAt(mouse->position()) : nullptr;
        if (run) Q_EMIT runChosen(QString::fromStdString(run->id));
    }
    return QWidget::eventFilter(watched, event);
}

std::vector<ViewTable> ScatterPlot::tables() const {
    return {};  // the same runs and numbers as the parallel axes beside it
}

}  // namespace kurve::views
