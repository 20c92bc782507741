#include <cmath>
#include <memory>

#include "core/schedule/detail/schedule_kinds.h"
#include "tests/additions/additions.h"

namespace kurve::schedule::detail {
namespace {

/// Mask probability (1 - eps) s^2: most words are masked near the noise.
class SquareSchedule final : public NoiseSchedule {
public:
    explicit SquareSchedule(double epsilon) : most_(1 - epsilon) {}

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] double alpha(double s) const override { return 1 - *maskProbability(s); }
    [[nodiscard]] double sigma(double s) const override { return -std::log1p(-*maskProbability(s)); }
    [[nodiscard]] std::optional<double> maskProbability(double s) const override { return most_ * s * s; }
    [[nodiscard]] std::optional<double> noiseRate(double s) const override {
        return 2 * most_ * s / alpha(s);
    }

private:
    std::string name_ = "square";
    double most_;
};

}  // namespace

ScheduleKind squareKind() {
    ScheduleKind kind{"square", "Quadratic masking", "the fraction of masked tokens grows with s squared",
                      "an example"};
    kind.masking = true;
    kind.fields = {realField("epsilon", 1e-3, "tokens still unmasked at s = 1").range(0, 0.5)};
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        return std::make_unique<SquareSchedule>(real(values, "epsilon"));
    };
    return kind;
}

}  // namespace kurve::schedule::detail
