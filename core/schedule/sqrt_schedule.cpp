#include <cmath>

#include "core/schedule/detail/discrete_schedule.h"

namespace kurve::schedule::detail {

/// abar*(s) = 1 - sqrt(s + shift): much noise early, as rounding to words forgives little noise.
ScheduleKind sqrtKind() {
    ScheduleKind kind{"sqrt", "Square root (Difformer)",
                      "1 - sqrt(s + shift): the noise grows fast near the data",
                      "Diffusion-LM; as in Difformer's code"};
    kind.fields = discreteFields(
        {realField("shift", 1e-4, "keeps the first step finite").range(0, 0.5).from("Difformer's code")});
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        const double shift = real(values, "shift");
        return std::make_unique<DiscreteSchedule>("sqrt", values,
                                                  [=](double s) { return 1 - std::sqrt(s + shift); });
    };
    return kind;
}

}  // namespace kurve::schedule::detail
