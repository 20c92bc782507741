#pragma once

#include <QList>
#include <QSet>
#include <QWidget>
#include <string>
#include <vector>

#include "core/series/group.h"
#include "views/common/engine_info.h"
#include "views/compare/compare_axis.h"
#include "views/compare/compared_run.h"

class QAction;
class QComboBox;
class QLabel;
class QPushButton;
class QSlider;

namespace kurve::views {

class LineChart;

/// One metric of all compared runs laid over each other, over any axis; or their means by a setting, with an
/// interval and the number of runs.
class CompareChart : public QWidget {
    Q_OBJECT
public:
    explicit CompareChart(QWidget* parent = nullptr);

    /// New runs, or new points of the same runs: what is chosen and the zoom stay where they can.
    void setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine);
    /// Draws this run thicker; empty: none.
    void setMainRun(const QString& id);
    [[nodiscard]] LineChart* chart() const { return chart_; }
    /// The n runs that stand best at x in the shown metric, best first.
    [[nodiscard]] QStringList bestAt(double x, int n) const;
    /// Further entries of the context menu.
    void setMenuActions(const QList<QAction*>& actions) { menuActions_ = actions; }
    void hideRun(const QString& id);
    void showAll();
    /// Chosen metric, axis, grouping and scale, for the session; choices that are not there now are dropped.
    [[nodiscard]] QString save() const;
    void restore(const QString& saved);

Q_SIGNALS:
    void runChosen(const QString& id);
    void keepRequested(const QStringList& ids);
    void baselineRequested(const QString& id);
    void choiceChanged();

private:
    void buildControls();
    void fillMetrics();
    void fillAxes();
    void fillGroups();
    void choose();
    void drawCurves();
    QStringList drawRuns(QStringList& missing);
    [[nodiscard]] std::vector<double> smoothed(const std::vector<double>& x,
                                               const std::vector<double>& y) const;
    QStringList drawGroups(QStringList& missing);
    void openMenu(const QString& curve, double x, const QPoint& place);
    [[nodiscard]] std::string shownMetric() const;
    [[nodiscard]] CompareAxis shownAxis() const;
    [[nodiscard]] QString groupKey() const;
    [[nodiscard]] QString groupOf(const ComparedRun& run) const;
    /// The chart lists curves by id: the number keeps the order of the columns.
    [[nodiscard]] QString curveId(const ComparedRun& run) const;
    [[nodiscard]] const ComparedRun* runOfCurve(const QString& curve) const;

    std::vector<ComparedRun> runs_;
    EngineInfo engine_;
    QSet<QString> hidden_;
    QList<QAction*> menuActions_;
    QString main_;
    QComboBox *metric_ = nullptr, *axis_ = nullptr, *group_ = nullptr, *spread_ = nullptr;
    QSlider* smoothing_ = nullptr;
    QLabel* missing_ = nullptr;
    QPushButton* all_ = nullptr;
    LineChart* chart_;
};

}  // namespace kurve::views
