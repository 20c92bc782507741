#include "views/monitor/monitor_panel.h"

#include <QTimer>
#include <algorithm>
#include <cmath>
#include <set>

#include "views/common/chart/view_picture.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_ranking.h"
#include "views/common/form/choice_list.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"
#include "views/common/theme/theme_listener.h"
#include "views/monitor/monitor_bar.h"
#include "views/monitor/monitor_statement.h"
#include "views/monitor/noise_chart.h"
#include "views/monitor/ridge_card.h"

namespace kurve::views {

namespace {

constexpr int kMostRuns = 200;             // curves stay fluent, and their memory small
constexpr int kSettleMilliseconds = 80;    // until the grid has grown by a chart
const char* const kCopying = "copy_bleu";  // a line of the quality chart, no chart of its own
const std::set<std::string> kEnds{"completed", "cancelled", "failed", "crashed", "damaged"};
const std::set<std::string> kUnmarked{"checkpoint", "evaluated", "started", "state"};

std::set<std::string> metricsOf(const RunDatas& runs) {
    std::set<std::string> names;
    for (const auto& run : runs)
        for (const auto& [name, series] : run->series) names.insert(name);
    return names;
}

std::size_t numberOfSeries(const RunDatas& runs) {
    std::size_t count = 0;
    for (const auto& run : runs) count += run->series.size();
    return count;
}

}  // namespace

MonitorPanel::MonitorPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("monitor"), tr("Monitor"), context, parent),
      curves_(context),
      bar_(new MonitorBar),
      charts_(new MonitorCharts(*context.engine)) {
    leaveOutOfFigures(*bar_);
    setContent(boxed(vbox({bar_, {charts_, 1}}, {.margins = 0, .spacing = 0})),
               [this] { this->context().commands->trigger(QStringLiteral("run.start")); });
    arrange();
    charts_->setSmoothing(bar_->smoothing());
    connectContext();
    connectCharts();
    connectBar();
    registerCommands();
    takeSelection();
}

void MonitorPanel::connectContext() {
    const Selection* selection = context().selection;
    connect(selection, &Selection::runsChanged, this, &MonitorPanel::takeSelection);
    connect(context().catalog, &RunCatalog::dataChanged, this, &MonitorPanel::takeData);
    connect(context().catalog, &RunCatalog::runsChanged, this, [this] {
        curves_.findParents();
        updateEmpty();
    });
    connect(context().playhead, &Playhead::trainStepChanged, this, &MonitorPanel::updatePlayhead);
    onThemeChange(this, [this] {
        for (const QString& run : runs_) takeData(run);
    });
    connect(selection, &Selection::hiddenChanged, this, [this] {
        updateCharts();
        updateDistributions();
        updateMarks();
        updateEmpty();
    });
    connect(selection, &Selection::hoveredRunChanged, this, &MonitorPanel::highlight);
}

// With one run alone there is nothing to distinguish.
void MonitorPanel::connectCharts() {
    Selection* selection = context().selection;
    const auto distinguished = [this](const QString& curve) {
        const QString run = RunCurves::runOf(curve);
        return runs_.size() > 1 && runs_.contains(run) ? run : QString();
    };
    connect(charts_, &MonitorCharts::curveHovered, this, [selection, distinguished](const QString& curve) {
        selection->setHoveredRun(distinguished(curve));
    });
    connect(charts_, &MonitorCharts::curveClicked, this, [selection, distinguished](const QString& curve) {
        if (const QString run = distinguished(curve); !run.isEmpty()) selection->setPrimary(run);
    });
    connect(charts_, &MonitorCharts::menuRequested, this, &MonitorPanel::openMenu);
    connect(charts_, &MonitorCharts::clickedAt, this, [this](double x) {
        if (const std::int64_t step = curves_.keys().stepAt(first(), x); step >= 0)
            context().playhead->setTrainStep(step);
    });
    connect(charts_, &MonitorCharts::changed, this, [this] {
        arrange();
        Q_EMIT stateChanged();
    });
}

void MonitorPanel::connectBar() {
    connect(bar_, &MonitorBar::axisChanged, this, &MonitorPanel::axisChanged);
    connect(bar_, &MonitorBar::chartListOpening, this, &MonitorPanel::offerMetrics);
    connect(bar_, &MonitorBar::smoothingChanged, this, [this] {
        charts_->setSmoothing(bar_->smoothing());
        Q_EMIT stateChanged();
    });
    connect(bar_, &MonitorBar::earlierChanged, this, [this] {
        updateCharts();
        Q_EMIT stateChanged();
    });
    connect(bar_, &MonitorBar::linkChanged, this, [this] {
        charts_->setLinked(bar_->isLinked());
        Q_EMIT stateChanged();
    });
    connect(bar_, &MonitorBar::chartWanted, this, &MonitorPanel::addMetricChart);
}

void MonitorPanel::registerCommands() {
    const auto each = [this](auto action) {
        if (LineChart* chart = charts_->underMouse()) return action(chart);
        for (const MonitorChart& each : charts_->all()) action(each.chart);
    };
    const CommandGroup addHere(context().commands, tr("View"), this);
    addHere(
        "monitor.logx", tr("X axis scale"), Qt::Key_X,
        tr("Switch x between linear, logarithmic and symmetric logarithmic, in the chart under the mouse, "
           "else in all"),
        [each] { each([](LineChart* chart) { chart->nextKeyScale(); }); });
    addHere(
        "monitor.logy", tr("Y axis scale"), Qt::Key_Y,
        tr("Switch y between linear, logarithmic and symmetric logarithmic, in the chart under the mouse, "
           "else in all"),
        [each] { each([](LineChart* chart) { chart->nextValueScale(); }); });
    addHere("monitor.add_chart", tr("Add chart…"), Qt::Key_A,
            tr("Add a chart of any metric of the selected runs"), [this] { bar_->openChartList(); });
    addHere("monitor.fit", tr("Fit charts"), Qt::Key_F, tr("Show all points and follow new ones"), [this] {
        charts_->fit();
        if (const int limited = charts_->manuallyLimited(); limited > 0)
            Q_EMIT statusMessage(tr("Manual limits in %1; press U in a chart for automatic axes")
                                     .arg(countedText(limited, tr("chart"))));
    });
}

void MonitorPanel::arrange() {
    const QStringList runs = drawnRuns();
    const bool awaited = std::ranges::any_of(runs, [this](const QString& run) {
        // A run that the list does not know yet has just begun.
        const store::RunSummary* maybeRun = context().catalog->run(run);
        return maybeRun == nullptr || !kEnds.contains(maybeRun->state);
    });
    charts_->layOut(awaited, first().get());
}

void MonitorPanel::axisChanged() {
    const RunAxis axis = RunAxis::fromId(bar_->axis());
    curves_.keys().setAxis(axis);
    charts_->setAxis(axis);
    updateCharts();
    updateMarks();
    Q_EMIT stateChanged();
}

void MonitorPanel::addMetricChart(const QString& metric) {
    LineChart& added = charts_->add(metric.toStdString());
    engineInfoChanged();
    updateMarks();
    Q_EMIT stateChanged();
    // It stands behind the others: once they are laid out, it is brought into sight.
    QTimer::singleShot(kSettleMilliseconds, &added, [this, &added] {
        if (auto* scroll = findChild<QScrollArea*>()) scroll->ensureWidgetVisible(&added);
    });
}

void MonitorPanel::offerAxes() {
    const RunDatas read = datas();
    const std::set<std::string> names = metricsOf(read);
    offered_ = numberOfSeries(read);
    BoxChoices axes;
    if (!read.empty())
        for (const RunAxis& axis : axesOf(read, qualityFirst({names.begin(), names.end()})))
            axes.append({axis.id(), axis.title(*context().engine).section(QStringLiteral(" /"), 0, 0)});
    bar_->offerAxes(axes);
}

/// Only when somebody looks: there may be thousands.
void MonitorPanel::offerMetrics() {
    std::set<std::string> names = metricsOf(datas());
    for (const MonitorChart& each : charts_->all())
        for (const std::string& metric : each.metrics) names.erase(metric);
    names.erase(kCopying);
    std::vector<Choice> metrics;
    for (const std::string& name : qualityFirst({names.begin(), names.end()})) {
        const QString id = qt(name), title = context().engine->metric(name).title;
        metrics.push_back({id, title, title == id ? QString() : id});
    }
    bar_->offerMetrics(std::move(metrics));
}

QJsonObject MonitorPanel::saveState() const {
    QJsonObject all = bar_->save();
    const QJsonObject charts = charts_->save();
    for (auto it = charts.begin(); it != charts.end(); ++it) all.insert(it.key(), it.value());
    return all;
}

void MonitorPanel::restoreState(const QJsonObject& saved) {
    if (saved.isEmpty()) return;
    const QSignalBlocker quiet(this);
    bar_->restore(saved);
    charts_->restore(saved);
    engineInfoChanged();
    updateMarks();
}

LineChart* MonitorPanel::chart(const QString& id) const {
    return charts_->chart(id);
}

void MonitorPanel::engineInfoChanged() {
    updateCharts();  // which scalars share a chart is told by the engine
    charts_->describe();
    offerAxes();
}

void MonitorPanel::takeSelection() {
    const QStringList selected = context().selection->runs();
    runs_ = selected.mid(0, kMostRuns);
    leftOut_ = selected.size() - runs_.size();
    if (leftOut_ > 0)
        Q_EMIT statusMessage(
            tr("%1 runs selected; the charts show the first %2.").arg(selected.size()).arg(runs_.size()));
    watched_.set(runs_);
    curves_.setRuns(runs_);
    offerAxes();
    updateCharts();
    updateDistributions();
    updateMarks();
    highlight(context().selection->hoveredRun());
    updateEmpty();
}

void MonitorPanel::takeData(const QString& runId) {
    if (!curves_.reads(runId)) return;
    if (numberOfSeries(datas()) != offered_) offerAxes();
    updateCharts();
    if (runId == drawnRuns().value(0)) {
        updateDistributions();
        updateMarks();
    }
    updateEmpty();
}

QStringList MonitorPanel::drawnRuns() const {
    QStringList drawn;
    for (const QString& run : runs_)
        if (!context().selection->isHidden(run)) drawn << run;
    return drawn;
}

std::shared_ptr<const RunData> MonitorPanel::first() const {
    return context().catalog->data(drawnRuns().value(0));
}

RunDatas MonitorPanel::datas() const {
    RunDatas read;
    for (const QString& run : runs_)
        if (auto data = context().catalog->data(run)) read.push_back(std::move(data));
    return read;
}

void MonitorPanel::updateCharts() {
    const QStringList drawn = drawnRuns();
    if (charts_->setOwnCharts(curves_.ownCharts(drawn))) updateMarks();
    for (const MonitorChart& each : charts_->all()) curves_.draw(each, drawn, bar_->showsEarlier());
    if (LineChart* quality = chart(QStringLiteral("quality"))) {
        const auto data = first();
        const auto copied = data ? data->find(kCopying) : nullptr;
        quality->setReference(QStringLiteral("copy"),
                              copied && copied->size() > 0 ? copied->value.back() : std::nan(""),
                              tr("copying"));
    }
    arrange();
}

void MonitorPanel::updateDistributions() {
    const auto data = first();
    RunStyle style = runStyle(drawnRuns().value(0));
    if (runs_.size() == 1) style.color = categoryColor(0);
    charts_->noise().setRun(data.get(), style);
    charts_->ridges().setRun(data);
    arrange();
}

void MonitorPanel::updateMarks() {
    std::vector<LineChart::Mark> marks;
    if (const auto data = first())
        for (const store::EventRow& event : data->events) {
            if (kUnmarked.contains(event.kind)) continue;
            const double x = curves_.keys().xOfStep(data, event.step);
            if (std::isfinite(x)) marks.push_back({x, qt(event.kind), qt(event.text)});
        }
    for (const MonitorChart& each : charts_->all()) each.chart->setMarks(marks);
    updatePlayhead();
}

void MonitorPanel::updatePlayhead() {
    const qint64 step = context().playhead->trainStep();
    const double x = curves_.keys().xOfStep(first(), step);
    for (const MonitorChart& each : charts_->all()) each.chart->setPlayhead(step > 0 ? x : std::nan(""));
}

void MonitorPanel::highlight(const QString& run) {
    for (const MonitorChart& each : charts_->all()) {
        QStringList curves;
        for (const std::string& metric : each.metrics)
            if (runs_.size() > 1 && runs_.contains(run)) curves << RunCurves::curveOf(run, metric);
        each.chart->setPointed(curves);
    }
}

void MonitorPanel::updateEmpty() {
    const auto data = first();
    const store::RunSummary* run = context().catalog->run(drawnRuns().value(0));
    const bool nothing = runs_.isEmpty();
    // Until the index knows its state an engine is still writing the first of it.
    const bool begun = run && !run->state.empty() && run->state != "running";
    const RunDatas read = datas();
    const bool noPoints =
        !nothing && std::ranges::all_of(read, [](const auto& each) { return each->series.empty(); });
    const bool allHidden = !nothing && drawnRuns().isEmpty();
    setEmpty(nothing || noPoints || allHidden);
    bar_->offerEarlier(std::ranges::any_of(read, [](const auto& each) { return !each->shadowed.empty(); }));
    if (nothing)
        setEmptyTexts(tr("No run selected"), tr("Select a run on the left, or start training."),
                      tr("Start training  (F5)"));
    else if (allHidden)
        setEmptyTexts(tr("Selected runs are hidden"), tr("Press H in the list of runs to show them."));
    else if (data && !data->error.isEmpty() && begun)
        setEmptyTexts(tr("Run cannot be read"), data->error);
    else if (noPoints && run && (run->state == "failed" || run->state == "crashed"))
        setEmptyTexts(tr("Run ended before its first point"), qt(run->reason), tr("Start again  (F5)"));
    else if (noPoints && run && (run->state == "completed" || run->state == "cancelled"))
        setEmptyTexts(tr("Run has no points"),
                      tr("It ended before logging any. Reuse its settings to train again."));
    else if (noPoints)
        setEmptyTexts(tr("Waiting for the first points…"),
                      tr("The engine is loading the model and preparing the data."));
}

QString MonitorPanel::statement() const {
    if (runs_.isEmpty()) return tr("No run selected.");
    const QStringList drawn = drawnRuns();
    if (drawn.isEmpty()) return tr("Selected runs are hidden.");
    QString text = curvesStatement(*charts_, drawn, context());
    if (leftOut_ > 0) text += tr(" %1 more selected, not drawn.").arg(leftOut_);
    if (drawn.size() < runs_.size()) text += tr(" %1 hidden.").arg(runs_.size() - drawn.size());
    return text;
}

}  // namespace kurve::views
