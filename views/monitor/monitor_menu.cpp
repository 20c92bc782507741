// What a right click on a chart of the monitor offers: its curve's run, the best runs at the cursor, the
// chart.
#include <QMenu>
#include <algorithm>

#include "views/common/command_registry.h"
#include "views/common/engine_info.h"
#include "views/common/line_chart.h"
#include "views/common/run_catalog.h"
#include "views/common/run_ranking.h"
#include "views/common/selection.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

namespace {

QString runOf(const QString& curve) {
    return curve.section(QLatin1Char('|'), 0, 0);
}

}  // namespace

// With one run alone there is nothing to tell apart.
void MonitorPanel::connectPointing(LineChart& chart) {
    connect(&chart, &LineChart::curveHovered, this, [this](const QString& curve) {
        const QString run = runOf(curve);
        context().selection->setHoveredRun(runs_.size() > 1 && runs_.contains(run) ? run : QString());
    });
    connect(&chart, &LineChart::curveClicked, this, [this](const QString& curve) {
        if (runs_.size() > 1 && runs_.contains(runOf(curve))) lookFirst(runOf(curve));
    });
}

void MonitorPanel::lookFirst(const QString& run) {
    QStringList runs = context().selection->runs();
    runs.removeAll(run);
    context().selection->setRuns(QStringList{run} + runs);
}

void MonitorPanel::point(const QString& run) {
    for (const Place& place : places_) {
        QStringList curves;
        for (const std::string& metric : place.metrics)
            if (runs_.size() > 1 && runs_.contains(run))
                curves << run + QLatin1Char('|') + QString::fromStdString(metric);
        place.chart->setPointed(curves);
    }
}

void MonitorPanel::openMenu(LineChart& chart, const QString& curve, double x, const QPoint& place) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("monitor.menu"));
    const QString run = runOf(curve);
    if (runs_.contains(run)) addRunActions(*menu, run);
    const auto found =
        std::find_if(places_.begin(), places_.end(), [&](const Place& each) { return each.chart == &chart; });
    if (found != places_.end()) addChartActions(*menu, *found, x);
    menu->popup(place);
}

void MonitorPanel::addRunActions(QMenu& menu, const QString& run) {
    Selection* selection = context().selection;
    const store::RunSummary* summary = context().catalog->run(run);
    menu.addSection(summary != nullptr ? QString::fromStdString(summary->name) : run);
    menu.addAction(tr("Select this run alone"), this, [selection, run] { selection->setRuns({run}); });
    menu.addAction(tr("Look at it first"), this, [this, run] { lookFirst(run); });
    menu.addAction(tr("Measure the others against it"), this,
                   [selection, run] { selection->setBaseline(run); });
    menu.addAction(tr("Hide this run"), this, [selection, run] { selection->hideRuns({run}, true); });
}

void MonitorPanel::addChartActions(QMenu& menu, const Place& place, double x) {
    Selection* selection = context().selection;
    menu.addSeparator();
    for (const int n : {1, 3, 5, 10}) {
        const QStringList best = bestAt(place, x, n);
        if (n >= drawnRuns().size() || best.isEmpty()) continue;
        menu.addAction(tr("Keep the best %1 at the cursor").arg(n), this,
                       [selection, best] { selection->setRuns(best); });
    }
    if (drawnRuns().size() < runs_.size())
        menu.addAction(tr("Show hidden runs"), this,
                       [selection, all = runs_] { selection->hideRuns(all, false); });
    menu.addAction(tr("Fit"), place.chart, &LineChart::fit);
    menu.addActions(place.chart->actions());
    QAction* remove =
        menu.addAction(tr("Remove this chart"), this, [this, id = place.id] { removeChart(id); });
    remove->setEnabled(places_.size() > 1);
    if (context().commands == nullptr) return;
    menu.addSeparator();
    for (const char* id : {"view.export", "view.copy_image", "view.copy_data", "view.copy_markdown"})
        if (QAction* action = context().commands->action(QLatin1String(id))) menu.addAction(action);
}

QStringList MonitorPanel::bestAt(const Place& place, double x, int n) const {
    const std::string& metric = place.metrics.front();
    const bool higher = context().engine->metric(metric).higherIsBetter;
    std::vector<std::pair<double, QString>> valued;
    for (const QString& run : drawnRuns())
        valued.emplace_back(place.chart->valueAt(run + QLatin1Char('|') + QString::fromStdString(metric), x),
                            run);
    return bestRuns(std::move(valued), higher, n);
}

void MonitorPanel::removeChart(const QString& id) {
    const auto found =
        std::find_if(places_.begin(), places_.end(), [&](const Place& place) { return place.id == id; });
    if (found == places_.end() || places_.size() < 2) return;
    if (found->foreign) removedForeign_ << id;
    found->chart->hide();
    found->chart->deleteLater();
    places_.erase(found);
    arrange();
    offerChoices();
    Q_EMIT choiceChanged();
}

}  // namespace kurve::views
