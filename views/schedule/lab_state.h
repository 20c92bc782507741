#pragma once

#include <QJsonObject>

#include "views/schedule/lab_schedule.h"
#include "views/schedule/schedule_model.h"

namespace kurve::views {

/// What the laboratory keeps over a restart.
struct LabState {
    LabSchedule a, b;
    ScheduleUse use;
    std::vector<LabSchedule> compared = {};
};
[[nodiscard]] QJsonObject labStateJson(const LabState& state);
/// What cannot be read (another version, a broken curve) stays as it is in `usual`.
[[nodiscard]] LabState labStateOf(const QJsonObject& json, const LabState& usual);

}  // namespace kurve::views
