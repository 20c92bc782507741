#pragma once

#include <array>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "views/common/chart/axis_limits.h"
#include "views/common/data/lineage.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/panel.h"
#include "views/monitor/curve_keys.h"

class QMenu;

namespace kurve::views {

class ChartGrid;
class ContentOrEmpty;
class EmptyState;
class LineChart;
class MonitorBar;
class NoiseChart;
class RidgeCard;
struct CurveSpec;

/// Charts of the selected runs, live: losses, quality with the line of copying the source, gradient norm,
/// learning rate, loss by noise level, magnitudes by layer, what an imported run holds, and any metric
/// that one adds, over steps, tokens, time or another metric. All charts share the playhead and their zoom.
class MonitorPanel : public Panel {
    Q_OBJECT
public:
    explicit MonitorPanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;
    [[nodiscard]] LineChart* chart(const QString& id) const;
    /// Axis, smoothing, scales and added charts, for the session.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

private:
    /// What the monitor begins with; a removed one comes back with its first metric.
    struct StandardChart {
        const char *id, *title;
        std::array<const char*, 3> metrics;
    };
    static constexpr std::array<StandardChart, 5> kStandardCharts{
        {{"loss", QT_TR_NOOP("Loss"), {"loss", "valid_loss", nullptr}},
         {"quality", QT_TR_NOOP("Validation BLEU"), {"valid_bleu", nullptr, nullptr}},
         {"nll", QT_TR_NOOP("NLL and its bound"), {"nll", "valid_nll", "valid_nelbo"}},
         {"grad_norm", QT_TR_NOOP("Gradient norm"), {"grad_norm", nullptr, nullptr}},
         {"lr", QT_TR_NOOP("Learning rate"), {"lr", nullptr, nullptr}}}};
    struct ChartEntry {
        QString id;
        std::vector<std::string> metrics;
        LineChart* chart = nullptr;
        bool imported = false;     ///< made for what the selected runs alone log, gone with them
        bool scaleChosen = false;  ///< from then on the user's
    };
    void connectBar();
    void buildCharts();
    void registerCommands();
    void addStandardChart(const StandardChart& chart);
    void addChart(const QString& id, const QString& title, std::vector<std::string> metrics);
    /// Titles and scales, as the engine describes what they draw.
    void nameCharts();
    /// Lays out the charts that have points or may still get them.
    void arrange();
    /// What drawn runs of other programs logged and no other chart shows: quality first, the first few.
    /// A chart's id and what it draws.
    using OwnChart = std::pair<std::string, std::vector<std::string>>;
    /// Those of the runs' families, and of what imported runs logged.
    [[nodiscard]] std::vector<OwnChart> ownCharts() const;
    void updateImportedCharts();
    /// Scales and limits of their charts, also of those that are gone with their runs for now.
    [[nodiscard]] QJsonObject importedChartSettings() const;
    void applyImportedChartSettings();
    void addMetricChart(const std::string& metric);
    void removeChart(const QString& id);
    /// At a position in a chart: `curve` is the one there, empty if none.
    void openMenu(LineChart& chart, const QString& curve, double x, const QPoint& position);
    void addRunActions(QMenu& menu, const QString& run);
    void addChartActions(QMenu& menu, const ChartEntry& entry, double x);
    [[nodiscard]] QStringList bestAt(const ChartEntry& entry, double x, int n) const;
    void nameAxis(LineChart& chart) const;
    void axisChanged();
    void takeSelection();
    void takeData(const QString& runId);
    void updateChart(const ChartEntry& entry);
    void updateCharts();
    void updateDistributions();
    void updateMarks();
    void updatePlayhead();
    void updateEmpty();
    void offerChoices();
    void offerMetrics();
    void connectLimits(LineChart& chart);
    void takeKeyLimits(const LineChart& chart);
    void applyKeyLimits();
    void reportManualLimits();  ///< fitting keeps them
    [[nodiscard]] QJsonObject saveRanges() const;
    void restoreRanges(const QJsonObject& saved);
    void connectPointing(LineChart& chart);
    /// The curves of a run in every chart are drawn thicker while it is pointed at.
    void highlight(const QString& run);
    void makePrimary(const QString& run);
    void chartClicked(double x);
    [[nodiscard]] QStringList drawnRuns() const;  ///< those selected that are not hidden
    [[nodiscard]] CurveSpec specOf(const ChartEntry& entry, std::size_t metric, const RunData& data) const;
    [[nodiscard]] LineChart* focusedChart() const;
    [[nodiscard]] static bool isInStatement(const ChartEntry& entry);  ///< its last value is in statement()
    [[nodiscard]] QString nameOf(const QString& run) const;
    [[nodiscard]] QString statementOfOne(const QString& run) const;
    [[nodiscard]] QString statementOfSeveral(const QStringList& runs) const;

    /// Dim curves of what came before: the parent up to the fork, abandoned attempts if they are wanted.
    QStringList addHistory(const ChartEntry& entry, const RunData& data);
    QStringList addAttempts(const ChartEntry& entry, const RunData& data);
    /// Empty if the parent's points cannot be laid along the axis.
    QString addParent(const ChartEntry& entry, const RunData& data);

    WatchedRuns watched_{context().catalog};
    QStringList runs_;
    qsizetype leftOut_ = 0;  ///< selected runs that are not drawn
    std::vector<ChartEntry> entries_;
    QStringList removedImported_;
    QJsonObject importedChartSettings_;  ///< as importedChartSettings() when the charts were last made
    CurveKeys keys_;
    std::size_t offered_ = 0;  ///< series of the runs when axes and metrics were last offered
    ContentOrEmpty* content_;
    EmptyState* empty_;
    MonitorBar* bar_;
    ChartGrid* charts_;
    NoiseChart* noise_ = nullptr;
    RidgeCard* ridges_ = nullptr;
    /// Of x, set by the user: by axis and chart, as they mean nothing on another axis.
    std::map<std::pair<QString, QString>, AxisLimits> keyLimits_;
    QJsonObject wantedScales_;  ///< of charts that are made later
    ParentWatch parents_;
};

}  // namespace kurve::views
