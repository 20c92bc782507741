#include "views/monitor/monitor_panel.h"

#include <QJsonArray>
#include <QScrollArea>
#include <algorithm>
#include <cmath>

#include "views/common/chart/line_chart.h"
#include "views/common/chart/view_picture.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/imported_run.h"
#include "views/common/form/controls.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/content_or_empty.h"
#include "views/common/shell/empty_state.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"
#include "views/common/text/statement_line.h"
#include "views/monitor/chart_grid.h"
#include "views/monitor/monitor_bar.h"
#include "views/monitor/noise_chart.h"
#include "views/monitor/ridge_card.h"

namespace kurve::views {

namespace {

constexpr int kMostRuns = 200;      // curves stay fluent, and their memory small
constexpr std::size_t kDense = 60;  // points from which an average over them helps
const char* const kCopying = "copy_bleu";

/// Metrics that are logged at every log step and so are worth smoothing; evaluations are few and drawn with
/// markers.
bool isDense(const std::string& metric) {
    return metric.rfind("valid_", 0) != 0 && metric != "lr";
}

}  // namespace

MonitorPanel::MonitorPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("monitor"), tr("Monitor"), context, parent),
      empty_(new EmptyState),
      bar_(new MonitorBar),
      parents_(*context.catalog) {
    auto* page = new QWidget;
    auto* pageLayout = vboxIn(page, {bar_}, {.margins = 0, .spacing = 0});
    leaveOutOfFigures(*bar_);
    buildCharts();
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(charts_);
    pageLayout->addWidget(scroll, 1);
    content_ = new ContentOrEmpty(page, empty_);
    vboxIn(this, {content_}, {.margins = 0});

    connect(empty_, &EmptyState::clicked, this,
            [this] { this->context().commands->trigger(QStringLiteral("run.start")); });
    connect(context.selection, &Selection::runsChanged, this, &MonitorPanel::takeSelection);
    connect(context.catalog, &RunCatalog::dataChanged, this, &MonitorPanel::takeData);
    connect(context.catalog, &RunCatalog::runsChanged, this, [this] {
        parents_.follow(runs_);
        updateEmpty();
    });
    connect(context.playhead, &Playhead::trainStepChanged, this, &MonitorPanel::updatePlayhead);
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] {
        for (const QString& run : runs_) takeData(run);
    });
    connect(context.selection, &Selection::hiddenChanged, this, [this] {
        updateCharts();
        updateDistributions();
        updateEmpty();
    });
    connect(context.selection, &Selection::hoveredRunChanged, this, &MonitorPanel::highlight);
    connectBar();
    registerCommands();
    new StatementLine(*this);
    takeSelection();
}

void MonitorPanel::nameAxis(LineChart& chart) const {
    chart.setKeyTitle(keys_.axis().title(*context().engine));
    chart.setKeyIsTime(keys_.axis().kind == RunAxis::Kind::Wall);
}

void MonitorPanel::buildCharts() {
    charts_ = new ChartGrid;
    for (const StandardChart& chart : kStandardCharts) addStandardChart(chart);
    noise_ = new NoiseChart(charts_);
    connect(noise_, &LineChart::rangeChoiceChanged, this, &MonitorPanel::stateChanged);
    ridges_ = describe(new RidgeCard(charts_), {.hidden = true});
    arrange();
}

void MonitorPanel::addStandardChart(const StandardChart& chart) {
    std::vector<std::string> metrics;
    for (const char* metric : chart.metrics)
        if (metric != nullptr) metrics.emplace_back(metric);
    addChart(QLatin1String(chart.id), tr(chart.title), std::move(metrics));
}

void MonitorPanel::addChart(const QString& id, const QString& title, std::vector<std::string> metrics) {
    auto* chart = new LineChart(QStringLiteral("monitor.") + id, title, charts_);
    nameAxis(*chart);
    chart->setSmoothing(bar_->smoothing());
    connect(chart, &LineChart::clickedAt, this, &MonitorPanel::chartClicked);
    connect(chart, &LineChart::keyRangeChosen, this, [this, chart](double low, double high) {
        if (!bar_->isLinked()) return;
        for (const ChartEntry& entry : entries_)
            if (entry.chart != chart) entry.chart->setKeyRange(low, high);
    });
    connect(chart, &LineChart::followChosen, this, [this, chart] {
        if (!bar_->isLinked()) return;
        for (const ChartEntry& entry : entries_)
            if (entry.chart != chart) entry.chart->fit();
    });
    connect(chart, &LineChart::scaleChanged, this, &MonitorPanel::stateChanged);
    connectLimits(*chart);
    connectPointing(*chart);
    connect(chart, &LineChart::menuRequested, this,
            [this, chart](const QString& curve, double x, const QPoint& position) {
                openMenu(*chart, curve, x, position);
            });
    entries_.push_back({id, std::move(metrics), chart});
}

void MonitorPanel::registerCommands() {
    CommandRegistry* commands = context().commands;
    if (!commands) return;
    const QString view = tr("View");
    const auto each = [this](auto action) {
        if (LineChart* chart = focusedChart()) return action(chart);
        for (const ChartEntry& entry : entries_) action(entry.chart);
    };
    const CommandGroup addHere(commands, view, this);
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
        for (const ChartEntry& entry : entries_) entry.chart->fit();
        noise_->fit();
        reportManualLimits();
    });
}

LineChart* MonitorPanel::focusedChart() const {
    for (const ChartEntry& entry : entries_)
        if (entry.chart->underMouse()) return entry.chart;
    return noise_->underMouse() ? noise_ : nullptr;
}

LineChart* MonitorPanel::chart(const QString& id) const {
    for (const ChartEntry& entry : entries_)
        if (entry.id == id) return entry.chart;
    return id == QLatin1String("noise") ? noise_ : nullptr;
}

void MonitorPanel::engineInfoChanged() {
    updateCharts();  // which scalars share a chart is told by the engine
    nameCharts();
}

void MonitorPanel::nameCharts() {
    const bool described = !context().engine->families().empty();
    for (ChartEntry& entry : entries_) {
        const auto text = context().engine->metric(entry.metrics.front());
        entry.chart->setTitle(text.title, text.unit, text.doc);
        if (const QJsonArray scales = wantedScales_.take(entry.id).toArray(); !scales.isEmpty()) {
            entry.chart->setKeyScale(static_cast<LineChart::Scale>(scales.at(0).toInt() % 3));
            entry.chart->setValueScale(static_cast<LineChart::Scale>(scales.at(1).toInt() % 3));
        } else if (!entry.scaleChosen && text.logScale && entry.metrics.front() != "lr") {
            entry.chart->setValueScale(LineChart::Scale::Log);
        }
        entry.scaleChosen = entry.scaleChosen || described;
    }
    offerChoices();
}

void MonitorPanel::takeSelection() {
    const QStringList selected = context().selection->runs();
    const QStringList wanted = selected.mid(0, kMostRuns);
    leftOut_ = selected.size() - wanted.size();
    if (leftOut_ > 0)
        Q_EMIT statusMessage(
            tr("%1 runs selected; the charts show the first %2.").arg(selected.size()).arg(wanted.size()));
    watched_.set(wanted);
    runs_ = wanted;
    parents_.follow(runs_);
    keys_.keepOnly(runs_);
    offerChoices();
    updateCharts();
    updateDistributions();
    updateMarks();
    highlight(context().selection->hoveredRun());
    updatePlayhead();
    updateEmpty();
}

void MonitorPanel::takeData(const QString& runId) {
    if (!runs_.contains(runId) && !parents_.watches(runId)) return;
    std::size_t known = 0;
    for (const QString& run : runs_)
        if (const auto data = context().catalog->data(run)) known += data->series.size();
    if (known != offered_) offerChoices();
    updateCharts();
    if (runId == runs_.value(0)) {
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

CurveSpec MonitorPanel::specOf(const ChartEntry& entry, std::size_t metric, const RunData& data) const {
    const std::string& name = entry.metrics[metric];
    const auto series = data.find(name);
    // Another program's names do not tell, the number of its points does.
    const bool evaluation =
        isImported(data) ? series && series->size() < kDense : name.rfind("valid_", 0) == 0;
    const bool alone = runs_.size() == 1;
    CurveSpec spec;
    spec.style = alone ? RunStyle{categoryColor(static_cast<int>(metric)), Qt::SolidLine, 0}
                       : runStyle(qt(data.summary.id));
    if (!alone)
        spec.label = metric == 0 ? qt(data.summary.name) : QString();
    else if (entry.metrics.size() == 1)
        spec.label = tr("last");
    else if (entry.imported && (entry.metrics.size() > 2 || entry.metrics[1] != "valid_" + entry.metrics[0]))
        spec.label = context().engine->metric(name).title;
    else
        spec.label = name == "valid_nelbo" ? tr("bound") : evaluation ? tr("valid") : tr("train");
    spec.smooth = isDense(name) && !evaluation;
    spec.markers = evaluation;
    return spec;
}

void MonitorPanel::updateCharts() {
    updateImportedCharts();
    for (const ChartEntry& entry : entries_) updateChart(entry);
    arrange();
}

void MonitorPanel::updateChart(const ChartEntry& entry) {
    QStringList drawn;
    for (const QString& run : drawnRuns()) {
        const auto data = context().catalog->data(run);
        if (!data) continue;
        drawn << addHistory(entry, *data);
        for (std::size_t i = 0; i < entry.metrics.size(); ++i) {
            const auto series = data->find(entry.metrics[i]);
            const std::vector<double>& x = keys_.of(data, entry.metrics[i]);
            if (!series || x.empty() || x.size() != series->size()) continue;
            drawn << run + QLatin1Char('|') + qt(entry.metrics[i]);
            entry.chart->setCurve(drawn.last(), specOf(entry, i, *data), x, series->value);
        }
    }
    entry.chart->keepOnly(drawn);
    if (entry.id != QLatin1String("quality")) return;
    double copy = std::nan("");
    if (const auto data = context().catalog->data(runs_.value(0)))
        if (const auto series = data->find(kCopying); series && series->size() > 0)
            copy = series->value.back();
    entry.chart->setReference(QStringLiteral("copy"), copy, tr("copying"));
}

void MonitorPanel::updateDistributions() {
    const QString run = runs_.value(0);
    const auto data = context().catalog->data(run);
    const bool hidden = context().selection->isHidden(run);
    RunStyle style = runStyle(run);
    if (runs_.size() == 1) style.color = categoryColor(0);
    noise_->setRun(hidden ? nullptr : data.get(), style);
    ridges_->setRun(data);
    arrange();
}

void MonitorPanel::updateMarks() {
    std::vector<LineChart::Mark> marks;
    if (const auto data = context().catalog->data(runs_.value(0)))
        for (const store::EventRow& event : data->events) {
            if (event.kind == "checkpoint" || event.kind == "evaluated" || event.kind == "started" ||
                event.kind == "state")
                continue;
            const double x = keys_.xOfStep(data, event.step);
            if (std::isfinite(x)) marks.push_back({x, qt(event.kind), qt(event.text)});
        }
    for (const ChartEntry& entry : entries_) entry.chart->setMarks(marks);
}

void MonitorPanel::updatePlayhead() {
    const qint64 step = context().playhead->trainStep();
    const double x = keys_.xOfStep(context().catalog->data(runs_.value(0)), step);
    for (const ChartEntry& entry : entries_) entry.chart->setPlayhead(step > 0 ? x : std::nan(""));
}

void MonitorPanel::chartClicked(double x) {
    const std::int64_t step = keys_.stepAt(context().catalog->data(runs_.value(0)), x);
    if (step >= 0) context().playhead->setTrainStep(step);
}

void MonitorPanel::updateEmpty() {
    const auto data = context().catalog->data(runs_.value(0));
    const store::RunSummary* run = context().catalog->run(runs_.value(0));
    const bool nothing = runs_.isEmpty();
    // Until the index knows its state an engine is still writing the first of it.
    const bool begun = run && !run->state.empty() && run->state != "running";
    const bool noPoints = !nothing && std::none_of(runs_.begin(), runs_.end(), [this](const QString& id) {
        const auto d = context().catalog->data(id);
        return d && !d->series.empty();
    });
    const bool allHidden = !nothing && drawnRuns().isEmpty();
    content_->setEmpty(nothing || noPoints || allHidden);
    bar_->offerEarlier(std::any_of(runs_.begin(), runs_.end(), [this](const QString& id) {
        const auto d = context().catalog->data(id);
        return d && !d->shadowed.empty();
    }));
    if (nothing)
        empty_->setTexts(tr("No run selected"), tr("Select a run on the left, or start training."),
                         tr("Start training  (F5)"));
    else if (allHidden)
        empty_->setTexts(tr("Selected runs are hidden"), tr("Press H in the list of runs to show them."));
    else if (data && !data->error.isEmpty() && begun)
        empty_->setTexts(tr("Run cannot be read"), data->error);
    else if (noPoints && run && (run->state == "failed" || run->state == "crashed"))
        empty_->setTexts(tr("Run ended before its first point"), qt(run->reason), tr("Start again  (F5)"));
    else if (noPoints && run && (run->state == "completed" || run->state == "cancelled"))
        empty_->setTexts(tr("Run has no points"),
                         tr("It ended before logging any. Reuse its settings to train again."));
    else if (noPoints)
        empty_->setTexts(tr("Waiting for the first points…"),
                         tr("The engine is loading the model and preparing the data."));
}

bool MonitorPanel::hasData() const {
    return !content_->isEmpty();
}
}  // namespace kurve::views
