#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/schedule/free_curve.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {

/// How training draws its times. The families of Kurve draw them uniformly; another density together with a
/// schedule is the same training as withUniformTime() of the schedule.
struct TimeDensity {
    enum class Kind : unsigned char {
        Uniform,      ///< also what low-discrepancy draws have (Kingma et al. 2021): with less variance
        LogitNormal,  ///< logit t ~ N(mean, standardDeviation^2) (Esser et al. 2024)
        Free,         ///< straight lines through points (t, relative density > 0) from t = 0 to 1
    } kind = Kind::Uniform;
    double mean = 0, standardDeviation = 1;
    std::vector<std::pair<double, double>> points = {};

    [[nodiscard]] double density(double t) const;
    [[nodiscard]] double cumulative(double t) const;  ///< of t in [0, 1]: from 0 to 1, strictly rising inside
    friend bool operator==(const TimeDensity& a, const TimeDensity& b);
};

/// p(log-SNR) of training: -p(t) dt / dlambda in cells, so that steps, kinks and infinite slopes do no harm.
struct NoiseDensity {
    std::vector<double> logSnr, density;  ///< middles of the cells, ascending
    std::vector<double> mass;             ///< p(t) dt of each cell
    double area = 0;  ///< of the whole; where the log-SNR rises instead of falling, times are lost from it
};
/// Times beyond the first and last finite log-SNR count to the outermost cells' masses.
[[nodiscard]] NoiseDensity densityOf(const NoiseSchedule& schedule, const TimeDensity& times = {},
                                     int cells = 600);

/// The curve that with uniform times draws the same log-SNRs as `curve` with `times`: lambda(F^-1(u)). Points
/// are added between so that the cubic follows.
[[nodiscard]] FreeCurve withUniformTime(const FreeCurve& curve, const TimeDensity& times);

/// Factor of a level's |z0 - z0_hat|^2 in the loss, as papers have it; the families of Kurve use 1.
struct LossWeight {
    std::string id, title, formula, source;
    double (*at)(double logSnr, double limit) = nullptr;
    bool hasLimit = false;  ///< gamma of min-SNR
};
[[nodiscard]] std::span<const LossWeight> lossWeights();
[[nodiscard]] const LossWeight& lossWeight(const std::string& id);  ///< "x0" for an unknown id

/// SNR within [low, high], a weight of |z0 - z0_hat|^2 (LCM, Barrault et al. 2024).
[[nodiscard]] double clampedSnr(double logSnr, double low, double high);

/// Any schedule as points for a free curve: as few as the cubic needs to follow it to `tolerance` nats, at
/// most `most`. Infinite ends are cut at +-kMaxLogSnr / 2.
[[nodiscard]] FreeCurve freeCurveOf(const NoiseSchedule& schedule, double tolerance = 0.05,
                                    std::size_t most = 17);

}  // namespace kurve::schedule
