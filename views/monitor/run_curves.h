#pragma once

#include "views/common/data/lineage.h"
#include "views/common/shell/panel.h"
#include "views/monitor/curve_keys.h"
#include "views/monitor/monitor_charts.h"

namespace kurve::views {

/// The curves of the selected runs in the monitor's charts, along one axis, with dim ones of what came
/// before: the parent up to the fork, and attempts that were abandoned. GUI thread.
class RunCurves {
public:
    explicit RunCurves(const StudioContext& context) : context_(context), parents_(*context.catalog) {}
    /// With one of them its metrics have colours, else the runs.
    void setRuns(const QStringList& runs);
    void findParents() { parents_.follow(runs_); }
    [[nodiscard]] bool reads(const QString& run) const {
        return runs_.contains(run) || parents_.watches(run);
    }
    [[nodiscard]] CurveKeys& keys() { return keys_; }
    /// What the families of these runs chart besides the standard charts, and what imported ones logged.
    [[nodiscard]] OwnCharts ownCharts(const QStringList& shown) const;
    /// `shown`: those of the runs that are drawn.
    void draw(const MonitorChart& chart, const QStringList& shown, bool earlierAttempts);
    /// Of a run's metric in every chart.
    [[nodiscard]] static QString curveOf(const QString& run, const std::string& metric);
    [[nodiscard]] static QString runOf(const QString& curve);

private:
    [[nodiscard]] bool areAlone() const { return runs_.size() == 1; }
    [[nodiscard]] CurveSpec specOf(const MonitorChart& chart, std::size_t metric, const RunData& data) const;
    QStringList addAttempts(const MonitorChart& chart, const RunData& data);
    QStringList addParent(const MonitorChart& chart, const RunData& data);

    StudioContext context_;
    QStringList runs_;
    CurveKeys keys_;
    ParentWatch parents_;
};

}  // namespace kurve::views
