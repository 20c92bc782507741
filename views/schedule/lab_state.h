#pragma once

#include <QJsonObject>

#include "core/schedule/lab_schedule.h"
#include "core/schedule/schedule_curves.h"
#include "views/common/form/saved_choice.h"

namespace kurve::views {

/// Of schedule::Spacing, as in the setting sampler.spacing.
inline constexpr ChoiceIds<3> kSpacingIds{"time", "log-snr", "rho7"};

/// What the laboratory keeps over a restart.
struct LabState {
    schedule::LabSchedule a, b;
    schedule::ScheduleUse use;
    std::vector<schedule::LabSchedule> compared = {};
};
[[nodiscard]] QJsonObject labStateJson(const LabState& state);
/// What cannot be read (another version, a broken curve) stays as it is in `usual`.
[[nodiscard]] LabState labStateOf(const QJsonObject& json, const LabState& usual);

}  // namespace kurve::views
