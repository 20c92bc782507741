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
#include "views/common/text/format.h"
#include "views/monitor/monitor_panel.h"

namespace kurve::views {

void MonitorPanel::openMenu(const MonitorChart& chart, const QString& curve, double x,
                            const QPoint& position) {
    auto* menu = new QMenu(this);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setObjectName(QStringLiteral("monitor.menu"));
    const QString run = RunCurves::runOf(curve);
    if (runs_.contains(run)) addRunActions(*menu, run);
    addChartActions(*menu, chart, x);
    menu->popup(position);
}

void MonitorPanel::addRunActions(QMenu& menu, const QString& run) {
    Selection* selection = context().selection;
    menu.addSection(context().catalog->nameOf(run));
    menu.addAction(tr("Select only this run"), this, [selection, run] { selection->setRuns({run}); });
    menu.addAction(tr("Make primary run"), this, [selection, run] { selection->setPrimary(run); });
    menu.addAction(tr("Set as baseline"), this, [selection, run] { selection->setBaseline(run); });
    menu.addAction(tr("Hide run"), this, [selection, run] { selection->hideRuns({run}, true); });
}

void MonitorPanel::addChartActions(QMenu& menu, const MonitorChart& chart, double x) {
    Selection* selection = context().selection;
    menu.addSeparator();
    for (const int n : {1, 3, 5, 10}) {
        const QStringList best = bestAt(chart, x, n);
        if (n >= drawnRuns().size() || best.isEmpty()) continue;
        menu.addAction(tr("Select best %1 at cursor").arg(n), this,
                       [selection, best] { selection->setRuns(best); });
    }
    if (drawnRuns().size() < runs_.size())
        menu.addAction(tr("Show hidden runs"), this,
                       [selection, all = runs_] { selection->hideRuns(all, false); });
    menu.addAction(tr("Fit"), chart.chart, &LineChart::fit);
    menu.addActions(chart.chart->actions());
    QAction* remove =
        menu.addAction(tr("Remove chart"), this, [this, id = chart.id] { charts_->remove(id); });
    remove->setEnabled(charts_->all().size() > 1);
    menu.addSeparator();
    for (const char* id : {"view.export", "view.copy_image", "view.copy_data", "view.copy_markdown"})
        if (QAction* action = context().commands->action(QLatin1String(id))) menu.addAction(action);
}

QStringList MonitorPanel::bestAt(const MonitorChart& chart, double x, int n) const {
    const std::string& metric = chart.metrics.front();
    const auto text = context().engine->metric(metric);
    if (!text.ranked) return {};
    std::vector<std::pair<double, QString>> valued;
    for (const QString& run : drawnRuns())
        valued.emplace_back(chart.chart->valueAt(RunCurves::curveOf(run, metric), x), run);
    return bestRuns(std::move(valued), text.higherIsBetter, n);
}

}  // namespace kurve::views
