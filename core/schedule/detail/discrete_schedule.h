#pragma once

#include <functional>

#include "core/schedule/detail/schedule_kinds.h"

namespace kurve::schedule::detail {

/// Difformer's discretisation of a signal curve abar*(s), 0 < abar* (0) <= 1 falling
/// (difformer/gaussian_diffusion.py): beta_i = min(1 - abar*((i+1)/T) / abar*(i/T), 0.999), alpha_bar_i =
/// prod_{j<=i} (1 - beta_j). zero_terminal rescales r = sqrt(alpha_bar) to (r - r_T) r_1 / (r_1 - r_T) (Lin
/// et al. 2024, algorithm 1). The noise factor F multiplies the noise only, sigma = F sqrt(1 - alpha_bar);
/// with vp_rf it bends the curve instead, abar* <- abar* / (F^2 - (F^2 - 1) abar*).
class DiscreteSchedule final : public NoiseSchedule {
public:
    using SignalCurve = std::function<double(double s)>;
    DiscreteSchedule(std::string name, const Values& values, const SignalCurve& curve);

    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] double alpha(double s) const override;
    [[nodiscard]] double sigma(double s) const override;
    [[nodiscard]] std::span<const double> betas() const override { return betas_; }
    [[nodiscard]] std::span<const double> alphaBars() const override { return alphaBars_; }

private:
    struct Point {
        double signal, noise;  ///< alpha_bar and 1 - alpha_bar
    };
    [[nodiscard]] Point at(double s) const;
    void rescaleToZero();

    std::string name_;
    std::vector<double> betas_, alphaBars_;
    double noiseFactor_ = 1;
};

/// steps, noise_factor, vp_rf and zero_terminal, which every discrete schedule has, before its own fields.
[[nodiscard]] std::vector<FieldSpec> discreteFields(std::vector<FieldSpec> own = {});

/// abar* = 1 / (sigma^2 + 1) with sigma^(1/rho) linear in s between two ends (Karras): edm and cdcd.
[[nodiscard]] std::vector<FieldSpec> karrasFields(double sigmaMin, double sigmaMax,
                                                  const std::string& source);
[[nodiscard]] DiscreteSchedule::SignalCurve karrasCurve(const Values& values);

}  // namespace kurve::schedule::detail
