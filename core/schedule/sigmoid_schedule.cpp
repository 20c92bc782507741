#include <cmath>

#include "core/schedule/detail/discrete_schedule.h"

namespace kurve::schedule::detail {

/// abar*(s) = sigmoid(centre - slope logit(s)): the density of the log-SNR is logistic, around the centre.
ScheduleKind sigmoidKind() {
    ScheduleKind kind{"sigmoid", "Sigmoid",
                      "log-SNRs follow a logistic distribution: its centre, and how wide it is",
                      "LCM, eq. 14"};
    kind.fields = discreteFields(
        {realField("slope", 1.5, "scale of the distribution").range(0.01, 20).from("LCM, eq. 14"),
         realField("centre", -1, "its middle, a log-SNR").range(-20, 20).from("LCM, eq. 14")});
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        const double slope = real(values, "slope"), centre = real(values, "centre");
        return std::make_unique<DiscreteSchedule>("sigmoid", values, [=](double s) {
            if (s <= 0) return 1.0;
            return s >= 1 ? 0.0 : 1 / (1 + std::exp(slope * std::log(s / (1 - s)) - centre));
        });
    };
    return kind;
}

}  // namespace kurve::schedule::detail
