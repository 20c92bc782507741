#include <cmath>

#include "core/base/check.h"
#include "core/schedule/detail/schedule_kinds.h"

namespace kurve::schedule::detail {
namespace {

/// Mask probability (1 - eps) s; total noise sigma = -ln(1 - (1 - eps) s) (MDLM noise_schedule.py).
class LogLinearSchedule final : public NoiseSchedule {
public:
    explicit LogLinearSchedule(double epsilon) : slope_(1 - epsilon) {}

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] double alpha(double s) const override { return 1 - *maskProbability(s); }
    [[nodiscard]] double sigma(double s) const override { return -std::log1p(-*maskProbability(s)); }
    [[nodiscard]] std::optional<double> maskProbability(double s) const override {
        KURVE_CHECK(s >= 0 && s <= 1, "s = {} is not in [0, 1]", s);
        return slope_ * s;
    }
    /// sigma' / (e^sigma - 1), in which epsilon cancels (MDLM, Sahoo et al. 2024).
    [[nodiscard]] std::optional<double> weight(double s) const override { return 1 / s; }
    [[nodiscard]] std::optional<double> noiseRate(double s) const override { return slope_ / alpha(s); }

private:
    std::string name_ = "log-linear";
    double slope_;
};

}  // namespace

ScheduleKind logLinearKind() {
    ScheduleKind kind{"log-linear", "Log-linear masking (MDLM)",
                      "the fraction of masked tokens grows linearly", "MDLM (Sahoo et al. 2024)"};
    kind.masking = true;
    kind.fields = {
        realField("epsilon", 1e-3, "tokens still unmasked at s = 1").range(0, 0.5).from("MDLM's code")};
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        return std::make_unique<LogLinearSchedule>(real(values, "epsilon"));
    };
    return kind;
}

}  // namespace kurve::schedule::detail
