#include "views/monitor/monitor_panel.h"

#include <QComboBox>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QSlider>
#include <QStackedLayout>
#include <QVBoxLayout>
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/series/align.h"
#include "views/common/command_registry.h"
#include "views/common/empty_state.h"
#include "views/common/engine_info.h"
#include "views/common/format.h"
#include "views/common/line_chart.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/monitor/ridge_card.h"

namespace kurve::views {

namespace {

constexpr int kMostRuns = 24;
const char* const kReference = "copy_bleu";

QString qt(const std::string& text) {
    return QString::fromStdString(text);
}
/// Metrics that are logged at every log step and so are worth smoothing; evaluations are few and drawn with
/// markers.
bool isDense(const std::string& metric) {
    return metric.rfind("valid_", 0) != 0 && metric != "lr";
}

}  // namespace

MonitorPanel::MonitorPanel(const StudioContext& context, QWidget* parent)
    : Panel(QStringLiteral("monitor"), tr("Monitor"), context, parent), empty_(new EmptyState) {
    auto* page = new QWidget;
    auto* pageLayout = new QVBoxLayout(page);
    pageLayout->setContentsMargins(0, 0, 0, 0);
    pageLayout->setSpacing(0);
    pageLayout->addWidget(buildBar());
    buildCharts();
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setWidget(charts_);
    pageLayout->addWidget(scroll, 1);
    auto* outer = new QWidget(this);
    stack_ = new QStackedLayout(outer);
    stack_->addWidget(page);
    stack_->addWidget(empty_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(outer);

    connect(empty_, &EmptyState::clicked, this, &MonitorPanel::startRequested);
    connect(context.selection, &Selection::runsChanged, this, &MonitorPanel::takeSelection);
    connect(context.catalog, &RunCatalog::dataChanged, this, &MonitorPanel::takeData);
    connect(context.catalog, &RunCatalog::runsChanged, this, [this] {
        watchParents();
        updateEmpty();
    });
    connect(context.playhead, &Playhead::trainStepChanged, this, &MonitorPanel::updatePlayhead);
    connect(themeNotifier(), &ThemeNotifier::changed, this, [this] {
        for (const QString& run : runs_) takeData(run);
    });
    registerCommands();
    takeSelection();
}

QWidget* MonitorPanel::buildBar() {
    auto* bar = new QWidget;
    axisBox_ = new QComboBox;
    axisBox_->setObjectName(QStringLiteral("monitor.axis"));
    axisBox_->setAccessibleName(tr("Quantity along x"));
    axisBox_->addItems({tr("by step"), tr("by time")});
    smoothing_ = new QSlider(Qt::Horizontal);
    smoothing_->setObjectName(QStringLiteral("monitor.smoothing"));
    smoothing_->setAccessibleName(tr("Smoothing of the curves"));
    smoothing_->setToolTip(tr("Debiased moving average; the raw points stay under it. Left end: none."));
    smoothing_->setRange(0, 99);
    smoothing_->setValue(94);
    smoothing_->setFixedWidth(px(96));
    linkZoom_ = new QPushButton(tr("Link zoom"));
    linkZoom_->setObjectName(QStringLiteral("monitor.link"));
    linkZoom_->setCheckable(true);
    linkZoom_->setChecked(true);
    linkZoom_->setProperty("role", "quiet");
    linkZoom_->setToolTip(tr("All charts show the same stretch"));
    earlier_ = new QPushButton(tr("Earlier attempts"));
    earlier_->setObjectName(QStringLiteral("monitor.earlier"));
    earlier_->setCheckable(true);
    earlier_->setProperty("role", "quiet");
    earlier_->setToolTip(tr("What was logged before a resume from an older checkpoint, dotted and faint"));
    connect(earlier_, &QPushButton::toggled, this, [this] {
        for (const Place& place : places_) updateChart(place);
    });
    addBox_ = new QComboBox;
    addBox_->setObjectName(QStringLiteral("monitor.add"));
    addBox_->setAccessibleName(tr("Add a chart"));
    addBox_->addItem(tr("Add chart…"));
    auto* label = new QLabel(tr("Smoothing"));
    label->setProperty("role", "caption");
    auto* layout = new QHBoxLayout(bar);
    layout->setContentsMargins(px(space::kSmall), px(space::kTight), px(space::kSmall), px(space::kTight));
    layout->addWidget(axisBox_);
    layout->addSpacing(px(space::kSmall));
    layout->addWidget(label);
    layout->addWidget(smoothing_);
    layout->addSpacing(px(space::kSmall));
    layout->addWidget(linkZoom_);
    layout->addWidget(earlier_);
    layout->addStretch(1);
    layout->addWidget(addBox_);
    connect(axisBox_, &QComboBox::currentIndexChanged, this, [this](int row) {
        axis_ = row == 0 ? KeyAxis::Step : KeyAxis::Time;
        for (const Place& place : places_) {
            place.chart->setKeyTitle(axis_ == KeyAxis::Step ? tr("step") : tr("time / s"));
            place.chart->fit();
            updateChart(place);
        }
        updateMarks();
        updatePlayhead();
    });
    connect(smoothing_, &QSlider::valueChanged, this, [this](int value) {
        for (const Place& place : places_) place.chart->setSmoothing(value / 100.0);
    });
    connect(addBox_, &QComboBox::activated, this, [this](int row) {
        if (row <= 0) return;
        const std::string metric = addBox_->itemData(row).toString().toStdString();
        addBox_->setCurrentIndex(0);
        addChart(qt(metric), qt(metric), {metric});
        engineInfoChanged();
        arrange();
        updateChart(places_.back());
    });
    return bar;
}

void MonitorPanel::buildCharts() {
    charts_ = new QWidget;
    grid_ = new QGridLayout(charts_);
    grid_->setContentsMargins(px(space::kSmall), 0, px(space::kSmall), px(space::kSmall));
    grid_->setSpacing(px(space::kSmall));
    addChart(QStringLiteral("loss"), tr("Loss"), {"loss", "valid_loss"});
    addChart(QStringLiteral("quality"), tr("Validation BLEU"), {"valid_bleu"});
    addChart(QStringLiteral("nll"), tr("NLL"), {"nll", "valid_nll"});
    addChart(QStringLiteral("grad_norm"), tr("Gradient norm"), {"grad_norm"});
    addChart(QStringLiteral("lr"), tr("Learning rate"), {"lr"});
    noise_ = new LineChart(QStringLiteral("monitor.noise"), tr("Loss against noise level"));
    noise_->setKeyTitle(tr("log-SNR"));
    noise_->setTitle(tr("Loss by noise level"), {},
                     tr("Mean loss in bins of log-SNR at the last evaluations; left = noise"));
    ridges_ = new RidgeCard;
    arrange();
}

void MonitorPanel::addChart(const QString& id, const QString& title, std::vector<std::string> metrics) {
    auto* chart = new LineChart(QStringLiteral("monitor.") + id, title, charts_);
    chart->setKeyTitle(axis_ == KeyAxis::Step ? tr("step") : tr("time / s"));
    chart->setSmoothing(smoothing_->value() / 100.0);
    connect(chart, &LineChart::clickedAt, this, &MonitorPanel::chartClicked);
    connect(chart, &LineChart::keyRangeChosen, this, [this, chart](double low, double high) {
        if (!linkZoom_->isChecked()) return;
        for (const Place& place : places_)
            if (place.chart != chart) place.chart->setKeyRange(low, high);
    });
    connect(chart, &LineChart::followChosen, this, [this, chart] {
        if (!linkZoom_->isChecked()) return;
        for (const Place& place : places_)
            if (place.chart != chart) place.chart->fit();
    });
    places_.push_back({id, std::move(metrics), chart});
}

void MonitorPanel::arrange() {
    std::vector<QWidget*> charts;
    for (const Place& place : places_) charts.push_back(place.chart);
    charts.insert(charts.begin() + std::min<std::ptrdiff_t>(5, static_cast<std::ptrdiff_t>(charts.size())),
                  noise_);
    charts.push_back(ridges_);
    const int columns = width() >= px(520) ? 2 : 1;
    for (int row = 0; row < grid_->rowCount(); ++row) grid_->setRowStretch(row, 0);
    for (std::size_t i = 0; i < charts.size(); ++i) {
        const int row = static_cast<int>(i) / columns;
        grid_->addWidget(charts[i], row, static_cast<int>(i) % columns);
        grid_->setRowStretch(row, 1);
        charts[i]->setVisible(charts[i] != ridges_ || ridges_->hasData());
    }
    columns_ = columns;
}

void MonitorPanel::resizeEvent(QResizeEvent* event) {
    Panel::resizeEvent(event);
    if ((width() >= px(520) ? 2 : 1) != columns_) arrange();
}

void MonitorPanel::registerCommands() {
    CommandRegistry* commands = context().commands;
    if (!commands) return;
    const QString view = tr("View");
    const auto each = [this](auto action) {
        if (LineChart* chart = focusedChart()) return action(chart);
        for (const Place& place : places_) action(place.chart);
    };
    commands->add(
        {"monitor.logx", tr("Logarithmic x"), view, QKeySequence(Qt::Key_X),
         tr("Log x axis of the chart under the mouse, else of all")},
        [each] { each([](LineChart* chart) { chart->setLogX(!chart->logX()); }); }, this);
    commands->add(
        {"monitor.logy", tr("Logarithmic y"), view, QKeySequence(Qt::Key_Y),
         tr("Log y axis of the chart under the mouse, else of all")},
        [each] { each([](LineChart* chart) { chart->setLogY(!chart->logY()); }); }, this);
    commands->add(
        {"monitor.fit", tr("Fit charts"), view, QKeySequence(Qt::Key_F),
         tr("Show everything and follow new points")},
        [this] {
            for (const Place& place : places_) place.chart->fit();
            noise_->fit();
        },
        this);
}

LineChart* MonitorPanel::focusedChart() const {
    for (const Place& place : places_)
        if (place.chart->underMouse()) return place.chart;
    return noise_->underMouse() ? noise_ : nullptr;
}

LineChart* MonitorPanel::chart(const QString& id) const {
    for (const Place& place : places_)
        if (place.id == id) return place.chart;
    return id == QLatin1String("noise") ? noise_ : nullptr;
}

void MonitorPanel::engineInfoChanged() {
    for (const Place& place : places_) {
        const auto text = context().engine->metric(place.metrics.front());
        place.chart->setTitle(text.title, text.unit, text.doc);
        if (!scalesChosen_) place.chart->setLogY(text.logScale && place.metrics.front() != "lr");
    }
    // Afterwards the axes are the user's.
    scalesChosen_ = scalesChosen_ || !context().engine->families().empty();
}

void MonitorPanel::takeSelection() {
    QStringList wanted = context().selection->runs().mid(0, kMostRuns);
    for (const QString& run : wanted)
        if (!runs_.contains(run)) context().catalog->watch(run);
    for (const QString& run : runs_)
        if (!wanted.contains(run)) context().catalog->unwatch(run);
    runs_ = wanted;
    watchParents();
    std::erase_if(keys_, [this](const auto& entry) { return !runs_.contains(entry.first.first); });
    for (const Place& place : places_) updateChart(place);
    updateNoiseChart();
    updateRidges();
    updateMarks();
    updatePlayhead();
    updateEmpty();
    offerMetrics();
}

void MonitorPanel::takeData(const QString& runId) {
    if (!runs_.contains(runId) && !parents_.contains(runId)) return;
    for (const Place& place : places_) updateChart(place);
    if (runId == runs_.value(0)) {
        updateNoiseChart();
        updateRidges();
        updateMarks();
        offerMetrics();
    }
    updateEmpty();
}

double MonitorPanel::startOf(const QString& runId) const {
    const store::RunSummary* run = context().catalog->run(runId);
    return run ? run->started : 0;
}

const std::vector<double>& MonitorPanel::keys(const QString& runId, const std::string& metric,
                                              const std::shared_ptr<const store::Series>& series) {
    Keys& keys = keys_[{runId, metric}];
    if (keys.seen == series && keys.axis == axis_) return keys.x;
    const bool continues = keys.axis == axis_ && keys.seen && keys.seen->size() <= series->size() &&
                           keys.seen->size() > 0 && keys.seen->step[0] == series->step[0] &&
                           keys.seen->step.back() == series->step[keys.seen->size() - 1];
    if (!continues) keys.x.clear();
    const double start = startOf(runId);
    for (std::size_t i = keys.x.size(); i < series->size(); ++i)
        keys.x.push_back(axis_ == KeyAxis::Step ? static_cast<double>(series->step[i])
                                                : series->wall[i] - start);
    keys.seen = series;
    keys.axis = axis_;
    return keys.x;
}

void MonitorPanel::updateChart(const Place& place) {
    QStringList kept;
    for (const QString& run : runs_) {
        const auto data = context().catalog->data(run);
        if (!data) continue;
        kept << addHistory(place, run, *data);
        for (std::size_t i = 0; i < place.metrics.size(); ++i) {
            const std::string& metric = place.metrics[i];
            const auto series = data->find(metric);
            if (!series || series->size() == 0) continue;
            const bool evaluation = metric.rfind("valid_", 0) == 0;
            CurveLook look;
            look.style = runStyle(run);
            if (runs_.size() == 1) look.style = {categoryColor(static_cast<int>(i)), Qt::SolidLine, 0};
            look.label = runs_.size() == 1 ? (evaluation                           ? tr("valid")
                                              : i == 0 && place.metrics.size() > 1 ? tr("train")
                                                                                   : QString())
                                           : (i == 0 ? qt(data->summary.name) : QString());
            if (runs_.size() == 1 && (look.label.isEmpty() || place.metrics.size() == 1))
                look.label = tr("last");
            look.smooth = isDense(metric);
            look.markers = evaluation;
            const QString id = run + QLatin1Char('|') + qt(metric);
            place.chart->setCurve(id, look, keys(run, metric, series), series->value);
            kept << id;
        }
    }
    place.chart->keepOnly(kept);
    if (place.id != QLatin1String("quality")) return;
    double copy = std::nan("");
    if (const auto data = context().catalog->data(runs_.value(0)))
        if (const auto series = data->find(kReference); series && series->size() > 0)
            copy = series->value.back();
    place.chart->setReference(QStringLiteral("copy"), copy, tr("copying"));
}

void MonitorPanel::updateNoiseChart() {
    QStringList kept;
    const auto data = context().catalog->data(runs_.value(0));
    if (data && !data->lossByLogSnr.empty()) {
        // The newest bins strongly, up to three earlier ones (a third, two thirds of the way) faintly under
        // them.
        const std::size_t n = data->lossByLogSnr.size();
        std::set<std::size_t> wanted{n / 3, 2 * n / 3, n - 1};
        for (const std::size_t i : wanted) {
            const auto bins = nlohmann::json::parse(data->lossByLogSnr[i].json, nullptr, false);
            if (!bins.is_object() || !bins.contains("edges") || !bins.contains("values")) continue;
            const auto &edges = bins["edges"], &values = bins["values"];
            std::vector<double> x, y;
            for (std::size_t k = 0; k + 1 < edges.size() && k < values.size(); ++k) {
                if (!values[k].is_number() || !edges[k].is_number() || !edges[k + 1].is_number()) continue;
                x.push_back((edges[k].get<double>() + edges[k + 1].get<double>()) / 2);
                y.push_back(values[k].get<double>());
            }
            if (x.empty()) continue;
            CurveLook look;
            look.style = runStyle(runs_.value(0));
            look.style.dash = Qt::SolidLine;
            if (i != n - 1)
                look.style.color.setAlphaF(0.25f + 0.25f * static_cast<float>(i) / static_cast<float>(n));
            if (runs_.size() == 1) look.style.color = categoryColor(0);
            if (i != n - 1) look.style.color.setAlphaF(0.45f);
            look.label = i == n - 1 ? tr("step %1").arg(countText(data->lossByLogSnr[i].step)) : QString();
            look.width = i == n - 1 ? 1.8 : 1.0;
            const QString id = QStringLiteral("bins%1").arg(i == n - 1 ? 2 : i == n / 3 ? 0 : 1);
            noise_->setCurve(id, look, x, y);
            kept << id;
        }
    }
    noise_->keepOnly(kept);
}

void MonitorPanel::updateRidges() {
    ridges_->setRun(context().catalog->data(runs_.value(0)));
    ridges_->setVisible(ridges_->hasData());
}

void MonitorPanel::updateMarks() {
    std::vector<LineChart::Mark> marks;
    if (const auto data = context().catalog->data(runs_.value(0))) {
        const double start = startOf(runs_.value(0));
        for (const store::EventRow& event : data->events) {
            if (event.kind == "checkpoint" || event.kind == "evaluated" || event.kind == "started" ||
                event.kind == "state")
                continue;
            marks.push_back({axis_ == KeyAxis::Step ? static_cast<double>(event.step) : event.wall - start,
                             qt(event.kind), qt(event.text)});
        }
    }
    for (const Place& place : places_) place.chart->setMarks(marks);
}

void MonitorPanel::updatePlayhead() {
    const qint64 step = context().playhead->trainStep();
    double x = static_cast<double>(step);
    if (axis_ == KeyAxis::Time) {
        const auto data = context().catalog->data(runs_.value(0));
        const auto loss = data ? data->find("loss") : nullptr;
        x = std::nan("");
        if (loss && loss->size() > 0) {
            const auto at = std::lower_bound(loss->step.begin(), loss->step.end(), step) - loss->step.begin();
            const auto i = std::min<std::size_t>(static_cast<std::size_t>(at), loss->size() - 1);
            x = loss->wall[i] - startOf(runs_.value(0));
        }
    }
    for (const Place& place : places_) place.chart->setPlayhead(step > 0 ? x : std::nan(""));
}

void MonitorPanel::chartClicked(double x) {
    if (axis_ == KeyAxis::Step) return context().playhead->setTrainStep(static_cast<qint64>(std::llround(x)));
    const auto data = context().catalog->data(runs_.value(0));
    const auto loss = data ? data->find("loss") : nullptr;
    if (!loss || loss->size() == 0) return;
    const double wall = x + startOf(runs_.value(0));
    const auto at = std::lower_bound(loss->wall.begin(), loss->wall.end(), wall) - loss->wall.begin();
    context().playhead->setTrainStep(
        loss->step[std::min<std::size_t>(static_cast<std::size_t>(at), loss->size() - 1)]);
}

void MonitorPanel::offerMetrics() {
    std::set<std::string> names;
    for (const QString& run : runs_)
        if (const auto data = context().catalog->data(run))
            for (const auto& [name, series] : data->series) names.insert(name);
    for (const Place& place : places_)
        for (const std::string& metric : place.metrics) names.erase(metric);
    names.erase(kReference);
    QStringList wanted;
    for (const std::string& name : names) wanted << qt(name);
    QStringList shown;
    for (int i = 1; i < addBox_->count(); ++i) shown << addBox_->itemData(i).toString();
    if (wanted == shown) return;
    while (addBox_->count() > 1) addBox_->removeItem(1);
    for (const QString& name : wanted)
        addBox_->addItem(context().engine->metric(name.toStdString()).title, name);
    addBox_->setEnabled(!wanted.isEmpty());
}

void MonitorPanel::updateEmpty() {
    const auto data = context().catalog->data(runs_.value(0));
    const store::RunSummary* run = context().catalog->run(runs_.value(0));
    const bool nothing = runs_.isEmpty();
    const bool noPoints = !nothing && std::none_of(runs_.begin(), runs_.end(), [this](const QString& id) {
        const auto d = context().catalog->data(id);
        return d && !d->series.empty();
    });
    stack_->setCurrentIndex(nothing || noPoints ? 1 : 0);
    earlier_->setVisible(std::any_of(runs_.begin(), runs_.end(), [this](const QString& id) {
        const auto d = context().catalog->data(id);
        return d && !d->shadowed.empty();
    }));
    if (nothing)
        empty_->setTexts(
            tr("Nothing to draw yet"),
            tr("Select a run on the left, or train your own: the first points arrive within seconds."),
            tr("Start training  (F5)"));
    else if (data && !data->error.isEmpty() && !(run && run->state == "running"))
        empty_->setTexts(tr("This run cannot be read"), data->error);
    else if (noPoints && run && (run->state == "failed" || run->state == "crashed"))
        empty_->setTexts(tr("This run ended before its first point"), qt(run->reason),
                         tr("Start again  (F5)"));
    else if (noPoints)
        empty_->setTexts(tr("Waiting for the first points…"),
                         tr("The engine is loading the model and preparing the data."));
}

bool MonitorPanel::hasData() const {
    return stack_->currentIndex() == 0;
}
QString MonitorPanel::statement() const {
    return runs_.size() == 1 ? tr("Curves of one run.") : tr("Curves of %1 runs.").arg(runs_.size());
}
}  // namespace kurve::views
