#include "core/schedule/detail/discrete_schedule.h"

namespace kurve::schedule::detail {

ScheduleKind edmKind() {
    ScheduleKind kind{"edm", "EDM", "sigma^(1/rho) linear in s from 0.002 to 80",
                      "Karras et al. 2022; as in Difformer's code"};
    kind.fields = karrasFields(0.002, 80, "Difformer's code");
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        return std::make_unique<DiscreteSchedule>("edm", values, karrasCurve(values));
    };
    return kind;
}

}  // namespace kurve::schedule::detail
