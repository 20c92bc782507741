#include <cmath>
#include <numbers>

#include "core/base/check.h"
#include "core/schedule/detail/schedule_kinds.h"

namespace kurve::schedule::detail {
namespace {

/// tan(angle(s)) = tan(pi s / 2) / shift, alpha = cos(angle), sigma = sin(angle): log-SNR = -2 ln tan(pi s/2)
/// + 2 ln shift.
class ContinuousCosineSchedule final : public NoiseSchedule {
public:
    explicit ContinuousCosineSchedule(double shift) : shift_(shift) {}

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] double alpha(double s) const override { return s == 1 ? 0 : std::cos(angle(s)); }
    [[nodiscard]] double sigma(double s) const override { return std::sin(angle(s)); }

private:
    [[nodiscard]] double angle(double s) const {
        KURVE_CHECK(s >= 0 && s <= 1, "s = {} is not in [0, 1]", s);
        const double plain = s * std::numbers::pi / 2;
        return std::atan2(std::sin(plain), shift_ * std::cos(plain));
    }

    std::string name_ = "continuous-cosine";
    double shift_;
};

}  // namespace

ScheduleKind continuousCosineKind() {
    ScheduleKind kind{"continuous-cosine", "Cosine, continuous time",
                      "alpha = cos(pi s / 2), sigma = sin(pi s / 2)",
                      "Nichol and Dhariwal 2021; shift of Hoogeboom et al. 2023"};
    kind.fields = {realField("shift", 1, "below 1: more noise everywhere (log-SNR moves by 2 ln shift)")
                       .range(0.01, 100)
                       .from("Hoogeboom et al. 2023")};
    kind.make = [](const Values& values) -> std::unique_ptr<NoiseSchedule> {
        return std::make_unique<ContinuousCosineSchedule>(real(values, "shift"));
    };
    return kind;
}

}  // namespace kurve::schedule::detail
