#pragma once

#include <QJsonObject>
#include <QList>
#include <QWidget>
#include <span>
#include <string>
#include <vector>

#include "core/interop/report.h"
#include "core/series/group.h"
#include "core/series/smoothing.h"
#include "views/common/chart/run_axis.h"
#include "views/common/data/engine_info.h"
#include "views/compare/compared_run.h"
#include "views/compare/run_grouping.h"

class QAction;
class QMenu;
class QPushButton;
class QStackedLayout;

namespace kurve::views {

class ChoiceBox;
class ElidedLabel;
class LineChart;
class SmoothingControl;
class ValuePoints;

/// One metric of all compared runs overlaid, over any axis; or their means by a setting or two, with a
/// confidence interval and the number of runs. A metric without curves is drawn as points.
class CompareChart : public QWidget {
    Q_OBJECT
public:
    explicit CompareChart(QWidget* parent = nullptr);

    /// New runs, or new points of the same runs: what is chosen and the zoom stay where they can.
    void setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine);
    /// Draws this run thicker; empty: none.
    void setMainRun(const QString& id);
    /// Draws this run (or its group) thicker still while it is pointed at elsewhere; empty: none.
    void setPointed(const QString& id);
    [[nodiscard]] LineChart* chart() const { return chart_; }
    [[nodiscard]] ValuePoints* points() const { return points_; }
    /// How the runs are grouped now.
    [[nodiscard]] const RunGrouping& grouping() const { return grouping_; }
    /// The n best runs at x in the shown metric, best first.
    [[nodiscard]] QStringList bestAt(double x, int n) const;
    /// Further entries of the context menu.
    void setMenuActions(const QList<QAction*>& actions) { menuActions_ = actions; }
    /// Runs that are not drawn, of these or others.
    void setHidden(const QStringList& ids);
    /// How the curves are drawn now, for a report.
    [[nodiscard]] interop::ReportView reportView() const;
    /// Chosen metric, axis, grouping, scales, limits and smoothing, for the session. A choice that the runs
    /// do not offer yet waits until they do.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void runChosen(const QString& id);
    void runHovered(const QString& id);  ///< whose curve is under the pointer; empty: none
    void keepRequested(const QStringList& ids);
    void hideRequested(const QStringList& ids, bool on);
    void baselineRequested(const QString& id);
    void choiceChanged();  ///< save() or grouping() differs

private:
    void buildControls();
    void fillMetrics();
    void fillAxes();
    void fillGroups();
    void choose();
    void takeRange();
    void applyRange();
    void drawCurves();
    void showHiddenCount();
    [[nodiscard]] QStringList hiddenHere() const;
    /// Of the shown metric over the shown axis; empty where the run has no such points.
    [[nodiscard]] std::pair<std::vector<double>, std::vector<double>> pointsOf(const ComparedRun& run) const;
    QStringList drawRuns(QStringList& missing);
    /// Dimmed and dashed; empty if there is nothing to draw.
    QString drawParent(const ComparedRun& run);
    [[nodiscard]] QString titleOf(const ComparedRun& run) const;
    [[nodiscard]] std::vector<double> smoothed(const std::vector<double>& x, std::span<const double> y) const;
    QStringList drawGroups(QStringList& missing);
    void drawPoints();
    /// Some run has a curve of the shown metric.
    [[nodiscard]] bool isCurve() const;
    void openMenu(const QString& curve, double x, const QPoint& position);
    void addRunActions(QMenu& menu, const ComparedRun& run);
    [[nodiscard]] std::string shownMetric() const;
    [[nodiscard]] RunAxis shownAxis() const;
    [[nodiscard]] QString groupKey() const;
    /// The chart lists curves by id: the number keeps the order of the columns.
    [[nodiscard]] QString curveId(const ComparedRun& run) const;
    [[nodiscard]] static QString groupCurveId(const QString& group);
    [[nodiscard]] const ComparedRun* runOfCurve(const QString& curve) const;
    [[nodiscard]] const ComparedRun* find(const QString& id) const;
    [[nodiscard]] series::Smoothing smoothing() const;
    /// The smoothing of the members of groups before their mean; empty: none.
    [[nodiscard]] QString membersSmoothing() const;

    std::vector<ComparedRun> runs_;
    EngineInfo engine_;
    QStringList hidden_;
    RunGrouping grouping_;
    QJsonObject ranges_, keyLimits_;  ///< manual limits: of y by metric, of x by axis
    QList<QAction*> menuActions_;
    QString main_;
    ChoiceBox *metric_ = nullptr, *axis_ = nullptr, *group_ = nullptr, *second_ = nullptr, *band_ = nullptr;
    QWidget* secondBox_ = nullptr;  ///< with its caption
    SmoothingControl* smoothing_ = nullptr;
    ElidedLabel* missing_ = nullptr;
    QPushButton* all_ = nullptr;
    LineChart* chart_;
    ValuePoints* points_;
    QStackedLayout* drawn_ = nullptr;
};

}  // namespace kurve::views
