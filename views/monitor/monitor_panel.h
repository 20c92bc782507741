#pragma once

#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"
#include "views/monitor/run_curves.h"

class QMenu;

namespace kurve::views {

class MonitorBar;

/// Charts of the selected runs, live: losses, quality with the line of copying the source, gradient norm,
/// learning rate, loss by noise level, magnitudes by layer, what an imported run holds, and any metric
/// that one adds, over steps, tokens, time or another metric. All charts share the playhead and their zoom.
class MonitorPanel : public Panel {
    Q_OBJECT
public:
    explicit MonitorPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;
    [[nodiscard]] LineChart* chart(const QString& id) const;
    /// Axis, smoothing, scales and added charts, for the session.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

private:
    void connectContext();
    void connectCharts();
    void connectBar();
    void registerCommands();
    /// Lays out the charts that have points or may still get them.
    void arrange();
    void addMetricChart(const QString& metric);
    /// At a position in a chart: `curve` is the one there, empty if none.
    void openMenu(const MonitorChart& chart, const QString& curve, double x, const QPoint& position);
    void addRunActions(QMenu& menu, const QString& run);
    void addChartActions(QMenu& menu, const MonitorChart& chart, double x);
    [[nodiscard]] QStringList bestAt(const MonitorChart& chart, double x, int n) const;
    void axisChanged();
    void takeSelection();
    void takeData(const QString& runId);
    void updateCharts();
    void updateDistributions();
    void updateMarks();  ///< and the playhead
    void updatePlayhead();
    void updateEmpty();
    void offerAxes();
    void offerMetrics();
    /// The curves of a run in every chart are drawn thicker while it is pointed at.
    void highlight(const QString& run);
    [[nodiscard]] QStringList drawnRuns() const;  ///< those selected that are not hidden
    [[nodiscard]] std::shared_ptr<const RunData> first() const;
    [[nodiscard]] RunDatas datas() const;  ///< of the selected runs, as far as they are read

    WatchedRuns watched_{context().catalog};
    QStringList runs_;
    qsizetype leftOut_ = 0;  ///< selected runs that are not drawn
    RunCurves curves_;
    std::size_t offered_ = 0;  ///< series of the runs when axes and metrics were last offered
    MonitorBar* bar_;
    MonitorCharts* charts_;
};

}  // namespace kurve::views
