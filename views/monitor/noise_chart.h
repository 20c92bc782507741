#pragma once

#include "views/common/chart/line_chart.h"
#include "views/common/data/run_catalog.h"

namespace kurve::views {

/// Mean loss in bins of log-SNR at the last evaluation of one run, and faintly at two earlier ones.
class NoiseChart : public LineChart {
    Q_OBJECT
public:
    explicit NoiseChart(QWidget* parent = nullptr);
    /// Null clears the chart. `style` is that of the newest bins.
    void setRun(const RunData* data, const RunStyle& style);
};

}  // namespace kurve::views
