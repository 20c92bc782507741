#include <cmath>

#include "core/schedule/detail/discrete_schedule.h"

namespace kurve::schedule::detail {

/// beta_i = (sqrt(first) + i / (T - 1) (sqrt(last) - sqrt(first)))^2, i = 0 … T - 1.
ScheduleKind quadraticKind() {
    ScheduleKind kind{"quadratic", "Quadratic beta", "square roots of the noise rates grow linearly",
                      "LCM, eq. 13, indexed as in its code"};
    kind.fields = discreteFields(
        {realField("beta_first", 0.001, "noise of the first step").range(1e-6, 0.9).from("LCM, eq. 13"),
         realField("beta_last", 0.0012, "noise of the last step").range(1e-6, 0.9).from("LCM, eq. 13")});
    // Its rates are so small that most of the signal would be left at the end.
    for (FieldSpec& field : kind.fields)
        if (field.key == "zero_terminal") field.fallback = true;
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        const auto steps = static_cast<double>(std::get<std::int64_t>(values.at("steps")));
        const double first = std::sqrt(real(values, "beta_first")),
                     last = std::sqrt(real(values, "beta_last"));
        std::vector<double> signal{1};
        for (double i = 0; i < steps; ++i) {
            const double root = first + i / (steps - 1) * (last - first);
            signal.push_back(signal.back() * (1 - root * root));
        }
        return std::make_unique<DiscreteSchedule>("quadratic", values, [=](double s) {
            return signal[static_cast<std::size_t>(std::lround(s * steps))];
        });
    };
    return kind;
}

}  // namespace kurve::schedule::detail
