#pragma once

#include <QWidget>
#include <memory>
#include <string>
#include <vector>

#include "core/series/align.h"
#include "views/common/engine_info.h"
#include "views/compare/compared_run.h"

class QComboBox;
class QCustomPlot;
class QLabel;
class QSlider;
class QToolButton;

namespace kurve::views {

class RunCurve;

/// One metric of all compared runs laid over each other, by step, by tokens seen or by training time.
class CompareChart : public QWidget {
    Q_OBJECT
public:
    explicit CompareChart(QWidget* parent = nullptr);
    ~CompareChart() override;

    /// New runs, or new points of the same runs: what is chosen and the zoom stay where they can.
    void setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine);
    void setMetric(const std::string& id);
    void setAxis(series::Axis axis);
    [[nodiscard]] std::string shownMetric() const;
    [[nodiscard]] int drawnCurves() const;  ///< curves that have at least one point

public Q_SLOTS:
    void toggleLogX();
    void toggleLogY();
    void fit();

private:
    void buildControls();
    void buildPlot();
    void restyle();
    void fillMetrics(const EngineInfo& engine);
    void rebuildCurves();
    void drawCurves();
    void describe();
    void showValues(double x);
    [[nodiscard]] std::vector<double> axisOf(const ComparedRun& run, const store::Series& series) const;
    [[nodiscard]] double halfLife(const std::vector<double>& x) const;

    std::vector<ComparedRun> runs_;
    EngineInfo engine_;
    std::vector<std::unique_ptr<RunCurve>> curves_;
    QComboBox *metric_ = nullptr, *axis_ = nullptr;
    QToolButton *logX_ = nullptr, *logY_ = nullptr;
    QSlider* smoothing_ = nullptr;
    QLabel *legend_ = nullptr, *note_ = nullptr;
    QCustomPlot* plot_ = nullptr;
    bool fitted_ = false;
};

}  // namespace kurve::views
