#pragma once

#include <QWidget>
#include <string>
#include <vector>

#include "core/series/align.h"
#include "views/common/engine_info.h"
#include "views/compare/compared_run.h"

class QComboBox;
class QLabel;
class QSlider;

namespace kurve::views {

class LineChart;

/// One metric of all compared runs laid over each other, by step, by tokens seen or by training time.
class CompareChart : public QWidget {
    Q_OBJECT
public:
    explicit CompareChart(QWidget* parent = nullptr);

    /// New runs, or new points of the same runs: what is chosen and the zoom stay where they can.
    void setRuns(const std::vector<ComparedRun>& runs, const EngineInfo& engine);
    [[nodiscard]] LineChart* chart() const { return chart_; }

private:
    void buildControls();
    void fillMetrics();
    void choose();
    void drawCurves();
    [[nodiscard]] std::string shownMetric() const;
    [[nodiscard]] series::Axis shownAxis() const;
    [[nodiscard]] std::vector<double> axisOf(const ComparedRun& run, const store::Series& series) const;

    std::vector<ComparedRun> runs_;
    EngineInfo engine_;
    QComboBox *metric_ = nullptr, *axis_ = nullptr;
    QSlider* smoothing_ = nullptr;
    QLabel* missing_ = nullptr;
    LineChart* chart_;
};

}  // namespace kurve::views
