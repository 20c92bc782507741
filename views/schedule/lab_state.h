#pragma once

#include <QJsonObject>

#include "core/schedule/lab_schedule.h"

namespace kurve::views {

/// The schedules that the laboratory keeps over a restart.
struct LabState {
    schedule::LabSchedule a, b;
    std::vector<schedule::LabSchedule> compared = {};
};
[[nodiscard]] QJsonObject labStateJson(const LabState& state);
/// What cannot be read (another version, a broken curve) stays as it is in `usual`.
[[nodiscard]] LabState labStateOf(const QJsonObject& json, const LabState& usual);

}  // namespace kurve::views
