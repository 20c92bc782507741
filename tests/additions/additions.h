#pragma once

#include "core/metrics/metric.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule::detail {
ScheduleKind squareKind();
}
namespace kurve::metrics::detail {
MetricKind wordCountKind();
}
