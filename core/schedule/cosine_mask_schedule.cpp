#include <cmath>
#include <numbers>

#include "core/base/check.h"
#include "core/schedule/detail/schedule_kinds.h"

namespace kurve::schedule::detail {
namespace {

/// Fraction unmasked epsilon + (1 - epsilon) cos(pi s / 2) (MDLM noise_schedule.py, CosineNoise).
class CosineMaskSchedule final : public NoiseSchedule {
public:
    explicit CosineMaskSchedule(double epsilon) : range_(1 - epsilon) {}

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] double alpha(double s) const override { return 1 - *maskProbability(s); }
    [[nodiscard]] double sigma(double s) const override { return -std::log1p(-*maskProbability(s)); }
    /// 1 - cos x as 2 sin^2(x / 2), which keeps its digits near 0.
    [[nodiscard]] std::optional<double> maskProbability(double s) const override {
        KURVE_CHECK(s >= 0 && s <= 1, "s = {} is not in [0, 1]", s);
        const double half = std::sin(std::numbers::pi * s / 4);
        return range_ * 2 * half * half;
    }
    [[nodiscard]] std::optional<double> weight(double s) const override {
        return slope(s) / *maskProbability(s);
    }
    [[nodiscard]] std::optional<double> noiseRate(double s) const override { return slope(s) / alpha(s); }

private:
    [[nodiscard]] double slope(double s) const {
        return range_ * std::numbers::pi / 2 * std::sin(std::numbers::pi * s / 2);
    }
    std::string name_ = "cosine-mask";
    double range_;
};

}  // namespace

ScheduleKind cosineMaskKind() {
    ScheduleKind kind{"cosine-mask", "Cosine masking", "the fraction of unmasked tokens falls as a cosine",
                      "MDLM's code; MaskGIT (Chang et al. 2022)"};
    kind.masking = true;
    kind.fields = {
        realField("epsilon", 1e-3, "tokens still unmasked at s = 1").range(0, 0.5).from("MDLM's code")};
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        return std::make_unique<CosineMaskSchedule>(real(values, "epsilon"));
    };
    return kind;
}

}  // namespace kurve::schedule::detail
