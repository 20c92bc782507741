#pragma once

#include "views/common/shell/panel.h"
#include "views/monitor/monitor_charts.h"

namespace kurve::views {

/// One sentence on the last values of the drawn runs in the charts of quality.
[[nodiscard]] QString curvesStatement(const MonitorCharts& charts, const QStringList& runs,
                                      const StudioContext& context);

}  // namespace kurve::views
