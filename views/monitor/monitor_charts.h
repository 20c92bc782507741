#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "views/common/chart/line_chart.h"
#include "views/common/chart/run_axis.h"
#include "views/common/shell/card_grid.h"

namespace kurve::views {

class NoiseChart;
class RidgeCard;

/// Metrics by the chart of a family or of imported runs that draws them.
using OwnCharts = std::map<std::string, std::vector<std::string>>;

/// A chart of the monitor and what it draws.
struct MonitorChart {
    QString id;
    std::vector<std::string> metrics;
    LineChart* chart = nullptr;
    bool imported = false;     ///< one of the OwnCharts, gone with their runs
    bool scaleChosen = false;  ///< from then on the user's
};

/// The monitor's charts: the standard ones, those of single metrics and of the shown runs, of noise levels
/// and of magnitudes by layer. Linked, they share zoom and limits of x; limits of x belong to what runs along
/// it.
class MonitorCharts : public CardGrid {
    Q_OBJECT
public:
    /// Begins with the standard charts. `engine` outlives this.
    explicit MonitorCharts(const EngineInfo& engine);
    [[nodiscard]] const std::vector<MonitorChart>& all() const { return all_; }
    [[nodiscard]] NoiseChart& noise() const { return *noise_; }
    [[nodiscard]] RidgeCard& ridges() const { return *ridges_; }
    [[nodiscard]] LineChart* chart(const QString& id) const;  ///< "noise" is one; null: there is none
    [[nodiscard]] LineChart* underMouse() const;
    /// A chart of a metric; a removed standard chart comes back with its first one.
    LineChart& add(const std::string& metric);
    void remove(const QString& id);  ///< the last one stays
    /// The first few of these, quality first, without metrics that another chart draws. True if they changed.
    bool setOwnCharts(OwnCharts charts);
    void setAxis(const RunAxis& axis);  ///< without curves, which are of another axis
    void setLinked(bool on) { linked_ = on; }
    void setSmoothing(const series::Smoothing& smoothing);
    void describe();  ///< titles and scales, as the engine describes what is drawn
    void fit();
    [[nodiscard]] int manuallyLimited() const;  ///< number of charts that fit() does not change
    /// Those with points, or all while some are `awaited`. Noise levels: if the first run may have some.
    void layOut(bool awaited, const RunData* maybeFirst);
    /// Added and removed charts, scales and limits.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void changed();  ///< save() differs
    void clickedAt(double x);
    void curveHovered(const QString& curve);
    void curveClicked(const QString& curve);
    void menuRequested(const kurve::views::MonitorChart& chart, const QString& curve, double x,
                       const QPoint& position);

private:
    MonitorChart& addChart(const QString& id, const QString& title, std::vector<std::string> metrics);
    void link(LineChart& chart);
    void nameAxis(LineChart& chart) const;
    void applyKeyLimits();
    /// The scale of y until the user chooses another.
    [[nodiscard]] LineChart::Scale firstScale(const MonitorChart& chart) const;
    /// Chosen scales and limits of the present charts, and those kept of others.
    [[nodiscard]] QJsonObject settings() const;
    void applySettings(MonitorChart& chart);

    const EngineInfo& engine_;
    RunAxis axis_;
    series::Smoothing smoothing_;
    bool linked_ = true;
    std::vector<MonitorChart> all_;
    NoiseChart* noise_;
    RidgeCard* ridges_;
    QStringList removedImported_;
    QJsonObject settings_;  ///< of charts that come back with their runs, by id
    /// Of x, set by the user: by axis and chart, as they mean nothing on another axis.
    std::map<std::pair<QString, QString>, AxisLimits> keyLimits_;
};

}  // namespace kurve::views
