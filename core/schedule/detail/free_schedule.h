#pragma once

#include "core/schedule/free_curve.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule::detail {

/// Gaussian: alpha^2 = sigmoid(lambda), sigma^2 = sigmoid(-lambda) with lambda(s) the cubic through the
/// points. The tables of T steps meet it at s = (i + 1) / T; unlike the other discrete schedules it has its
/// own noise at s = 0 and its own curve between the steps. zeroTerminal rescales sqrt(abar) to (r - r_1) r_0
/// / (r_0 - r_1), which keeps r_0 and is 0 at s = 1. The noise factor F multiplies the noise; bent, it lowers
/// lambda by 2 ln F, which is abar / (F^2 - (F^2 - 1) abar).
class FreeGaussian final : public NoiseSchedule {
public:
    FreeGaussian(const FreeCurve& curve, const FreeSettings& settings);
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] double alpha(double s) const override { return amplitudes(s).first; }
    [[nodiscard]] double sigma(double s) const override { return noiseFactor_ * amplitudes(s).second; }
    [[nodiscard]] std::span<const double> betas() const override { return betas_; }
    [[nodiscard]] std::span<const double> alphaBars() const override { return alphaBars_; }

private:
    [[nodiscard]] std::pair<double, double> amplitudes(double s) const;  ///< without the factor

    std::string name_ = "free";
    MonotoneCubic logSnr_;
    bool zeroTerminal_;
    double noiseFactor_ = 1, shift_ = 0;
    std::vector<double> betas_, alphaBars_;
};

/// Masking: alpha = sigmoid(lambda) is the probability of being unmasked, sigma = -ln alpha. zeroTerminal
/// rescales alpha to (alpha - alpha_1) alpha_0 / (alpha_0 - alpha_1).
class FreeMask final : public NoiseSchedule {
public:
    explicit FreeMask(const FreeCurve& curve);
    [[nodiscard]] const std::string& name() const override { return name_; }
    [[nodiscard]] double alpha(double s) const override;
    [[nodiscard]] double sigma(double s) const override { return -std::log(alpha(s)); }
    [[nodiscard]] std::optional<double> maskProbability(double s) const override;
    /// The hazard -alpha' / (1 - alpha): of the tokens still masked at s, how many the reverse process
    /// reveals in a unit of time; also the weight of MDLM's bound (MDLM, Sahoo et al. 2024).
    [[nodiscard]] std::optional<double> weight(double s) const override;
    [[nodiscard]] std::optional<double> noiseRate(double s) const override;  ///< -alpha' / alpha

private:
    [[nodiscard]] double fall(double s) const;  ///< -alpha'

    std::string name_ = "free-mask";
    MonotoneCubic logSnr_;
    std::optional<double> end_;  ///< of the log-SNR, where alpha falls to 0 at s = 1
    double stretch_ = 1;         ///< then alpha = (sigmoid - sigmoid(end)) stretch
};

}  // namespace kurve::schedule::detail
