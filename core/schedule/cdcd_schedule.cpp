#include "core/schedule/detail/discrete_schedule.h"

namespace kurve::schedule::detail {

ScheduleKind cdcdKind() {
    ScheduleKind kind{"cdcd", "CDCD", "sigma^(1/rho) linear in s from 1 to 300",
                      "Dieleman et al. 2022; as in Difformer's code"};
    kind.fields = karrasFields(1, 300, "Difformer's code");
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        return std::make_unique<DiscreteSchedule>("cdcd", values, karrasCurve(values));
    };
    return kind;
}

}  // namespace kurve::schedule::detail
