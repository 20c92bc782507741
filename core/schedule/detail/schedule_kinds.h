#pragma once

#include "core/schedule/noise_schedule.h"

namespace kurve::schedule::detail {

/// One per file <name>_schedule.cpp; the list is in noise_schedule.cpp.
ScheduleKind sqrtKind();
ScheduleKind linearKind();
ScheduleKind cosineKind();
ScheduleKind sigmoidKind();
ScheduleKind quadraticKind();
ScheduleKind edmKind();
ScheduleKind cdcdKind();
ScheduleKind logLinearKind();
ScheduleKind cosineMaskKind();
ScheduleKind linearMaskKind();
ScheduleKind continuousCosineKind();
ScheduleKind freeKind();
ScheduleKind freeMaskKind();

using Values = std::map<std::string, FieldValue>;
[[nodiscard]] inline double real(const Values& values, const char* key) {
    return std::get<double>(values.at(key));
}

}  // namespace kurve::schedule::detail
