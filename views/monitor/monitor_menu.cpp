// What a right click on a chart of the monitor offers: its curve's run, the best runs at the cursor, the
// chart.
#include <QMenu>
#include <algorithm>

#include "views/common/chart/line_chart.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/data/run_ranking.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

namespace {

QString runOf(const QString& curve) {
    return curve.section(QLatin1Char('|'), 0, 0);
}

}  // namespace

// With one run alone there is nothing to distinguish.
void MonitorPanel::connectPointing(LineChart& chart) {
    connect(&chart, &LineChart::curveHovered, this, [this](const QString& curve) {
        const QString run = runOf(curve);
        context().selection->setHoveredRun(runs_.size() > 1 && runs_.contains(run) ? run : QString());
    });
    connect(&chart, &LineChart::curveClicked, this, [this](const QString& curve) {
        if (runs_.size() > 1 && runs_.contains(runOf(curve))) makePrimary(runOf(curve));
    });
}

void MonitorPanel::makePrimary(const QString& run) {
    QStringList runs = context().selection->runs();
    runs.removeAll(run);
    context().selection->setRuns(QStringList{run} + runs);
}

void MonitorPanel::highlight(const QString& run) {
    for (const ChartEntry& entry : entries_) {
        QStringList curves;
        for (const std::string& metric : entry.metrics)
            if (runs_.size() > 1 && runs_.contains(run))
                curves << run + QLatin1Char('|') + QString::fromStdString(metric);
        entry.chart->setPointed(curves);
    }
}

void MonitorPanel::openMenu(LineChart& chart, const QString& curve, double x, const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("monitor.menu"));
    const QString run = runOf(curve);
    if (runs_.contains(run)) addRunActions(*menu, run);
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const ChartEntry& each) { return each.chart == &chart; });
    if (found != entries_.end()) addChartActions(*menu, *found, x);
    menu->popup(position);
}

void MonitorPanel::addRunActions(QMenu& menu, const QString& run) {
    Selection* selection = context().selection;
    const store::RunSummary* summary = context().catalog->run(run);
    menu.addSection(summary != nullptr ? QString::fromStdString(summary->name) : run);
    menu.addAction(tr("Select only this run"), this, [selection, run] { selection->setRuns({run}); });
    menu.addAction(tr("Make primary run"), this, [this, run] { makePrimary(run); });
    menu.addAction(tr("Set as baseline"), this, [selection, run] { selection->setBaseline(run); });
    menu.addAction(tr("Hide run"), this, [selection, run] { selection->hideRuns({run}, true); });
}

void MonitorPanel::addChartActions(QMenu& menu, const ChartEntry& entry, double x) {
    Selection* selection = context().selection;
    menu.addSeparator();
    for (const int n : {1, 3, 5, 10}) {
        const QStringList best = bestAt(entry, x, n);
        if (n >= drawnRuns().size() || best.isEmpty()) continue;
        menu.addAction(tr("Select best %1 at cursor").arg(n), this,
                       [selection, best] { selection->setRuns(best); });
    }
    if (drawnRuns().size() < runs_.size())
        menu.addAction(tr("Show hidden runs"), this,
                       [selection, all = runs_] { selection->hideRuns(all, false); });
    menu.addAction(tr("Fit"), entry.chart, &LineChart::fit);
    menu.addActions(entry.chart->actions());
    QAction* remove = menu.addAction(tr("Remove chart"), this, [this, id = entry.id] { removeChart(id); });
    remove->setEnabled(entries_.size() > 1);
    if (context().commands == nullptr) return;
    menu.addSeparator();
    for (const char* id : {"view.export", "view.copy_image", "view.copy_data", "view.copy_markdown"})
        if (QAction* action = context().commands->action(QLatin1String(id))) menu.addAction(action);
}

QStringList MonitorPanel::bestAt(const ChartEntry& entry, double x, int n) const {
    const std::string& metric = entry.metrics.front();
    const bool higher = context().engine->metric(metric).higherIsBetter;
    std::vector<std::pair<double, QString>> valued;
    for (const QString& run : drawnRuns())
        valued.emplace_back(entry.chart->valueAt(run + QLatin1Char('|') + QString::fromStdString(metric), x),
                            run);
    return bestRuns(std::move(valued), higher, n);
}

void MonitorPanel::removeChart(const QString& id) {
    const auto found = std::find_if(entries_.begin(), entries_.end(),
                                    [&](const ChartEntry& entry) { return entry.id == id; });
    if (found == entries_.end() || entries_.size() < 2) return;
    if (found->imported) removedImported_ << id;
    found->chart->hide();
    found->chart->deleteLater();
    entries_.erase(found);
    arrange();
    offerChoices();
    Q_EMIT stateChanged();
}

}  // namespace kurve::views
