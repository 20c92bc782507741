#include <cmath>
#include <numbers>

#include "core/schedule/detail/discrete_schedule.h"

namespace kurve::schedule::detail {

/// abar*(s) = cos^2(pi/2 (s + shift) / (1 + shift)).
ScheduleKind cosineKind() {
    ScheduleKind kind{"cosine", "Squared cosine", "slow at both ends, made for images",
                      "Improved DDPM; as in Difformer's code"};
    kind.fields = discreteFields(
        {realField("shift", 0.008, "noise already present at s = 0").range(0, 0.5).from("Difformer's code")});
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        const double shift = real(values, "shift");
        return std::make_unique<DiscreteSchedule>("cosine", values, [=](double s) {
            const double c = std::cos((s + shift) / (1 + shift) * std::numbers::pi / 2);
            return c * c;
        });
    };
    return kind;
}

}  // namespace kurve::schedule::detail
