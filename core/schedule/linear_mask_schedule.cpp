#include <cmath>

#include "core/base/check.h"
#include "core/schedule/detail/schedule_kinds.h"

namespace kurve::schedule::detail {
namespace {

/// Total noise sigma_max s, fraction unmasked e^-sigma (MDLM noise_schedule.py, Linear).
class LinearMaskSchedule final : public NoiseSchedule {
public:
    explicit LinearMaskSchedule(double sigmaMax) : sigmaMax_(sigmaMax) {}

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] double alpha(double s) const override { return std::exp(-sigma(s)); }
    [[nodiscard]] double sigma(double s) const override {
        KURVE_CHECK(s >= 0 && s <= 1, "s = {} is not in [0, 1]", s);
        return sigmaMax_ * s;
    }
    [[nodiscard]] std::optional<double> maskProbability(double s) const override {
        return -std::expm1(-sigma(s));
    }
    [[nodiscard]] std::optional<double> weight(double s) const override {
        return sigmaMax_ * alpha(s) / *maskProbability(s);
    }
    [[nodiscard]] std::optional<double> noiseRate(double) const override { return sigmaMax_; }

private:
    std::string name_ = "linear-mask";
    double sigmaMax_;
};

}  // namespace

ScheduleKind linearMaskKind() {
    ScheduleKind kind{"linear-mask", "Linear masking noise", "the total noise grows linearly", "MDLM's code"};
    kind.masking = true;
    kind.fields = {realField("sigma_max", 10, "total noise at s = 1").range(0.1, 100).from("MDLM's code")};
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        return std::make_unique<LinearMaskSchedule>(real(values, "sigma_max"));
    };
    return kind;
}

}  // namespace kurve::schedule::detail
