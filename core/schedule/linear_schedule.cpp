#include <cmath>

#include "core/schedule/detail/discrete_schedule.h"

namespace kurve::schedule::detail {

/// abar*(s) = exp(-(beta_max - beta_min) s^2 / 2 - beta_min s).
ScheduleKind linearKind() {
    ScheduleKind kind{"linear", "Linear beta", "noise rate grows linearly from beta_min to beta_max",
                      "DDPM in continuous time; as in Difformer's code"};
    kind.fields = discreteFields(
        {realField("beta_min", 0.1, "noise rate at s = 0").range(1e-4, 100).from("Difformer's code"),
         realField("beta_max", 20, "noise rate at s = 1").range(1e-4, 100).from("Difformer's code")});
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        const double low = real(values, "beta_min"), high = real(values, "beta_max");
        return std::make_unique<DiscreteSchedule>(
            "linear", values, [=](double s) { return std::exp(-(high - low) / 2 * s * s - low * s); });
    };
    return kind;
}

}  // namespace kurve::schedule::detail
