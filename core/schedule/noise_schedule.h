#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/config/field_spec.h"

namespace kurve::schedule {

/// A noise schedule on s in [0, 1] (0 = data, 1 = noise), pure functions on doubles. Immutable, callable from
/// any thread. Continuous schedules: z = alpha(s) z0 + sigma(s) eps. Mask schedules: alpha(s) = probability
/// of being unmasked, sigma(s) = total noise -ln alpha(s). Discrete schedules of T steps meet their tables at
/// s = (i + 1) / T, have alpha(0) = 1, and between the steps ln alpha_bar is linear; drawn ones follow their
/// points instead, at s = 0 too.
class NoiseSchedule {
public:
    virtual ~NoiseSchedule() = default;
    [[nodiscard]] virtual const std::string& name() const = 0;
    [[nodiscard]] virtual double alpha(double s) const = 0;
    [[nodiscard]] virtual double sigma(double s) const = 0;
    /// 2 ln(alpha/sigma), for mask schedules ln(alpha/(1-alpha)); +-inf at the ends; strictly decreasing.
    [[nodiscard]] double logSnr(double s) const;
    [[nodiscard]] virtual std::optional<double> maskProbability(double) const { return std::nullopt; }
    [[nodiscard]] virtual std::optional<double> weight(double) const {
        return std::nullopt;
    }  ///< of the loss
    [[nodiscard]] virtual std::optional<double> noiseRate(double) const {
        return std::nullopt;
    }  ///< d sigma/d s
    /// Discrete schedules give their beta and alpha_bar tables of T steps (difformer/gaussian_diffusion.py);
    /// continuous ones an empty one.
    [[nodiscard]] virtual std::span<const double> betas() const { return {}; }
    [[nodiscard]] virtual std::span<const double> alphaBars() const { return {}; }
    [[nodiscard]] int discreteSteps() const { return static_cast<int>(alphaBars().size()); }
};

/// One list line per schedule. Parameters are FieldSpecs with plain keys ("steps", "shift").
struct ScheduleKind {
    std::string id, title, doc, source;
    bool masking = false;
    bool drawn = false;  ///< its curve is given by points, the ends included (free_curve.h)
    std::vector<FieldSpec> fields = {};
    /// What the fields' own limits cannot say; null = nothing. make() may rely on it.
    Status (*check)(const std::map<std::string, FieldValue>& values) = nullptr;
    std::unique_ptr<NoiseSchedule> (*make)(const std::map<std::string, FieldValue>& values) = nullptr;
};
[[nodiscard]] std::span<const ScheduleKind> scheduleKinds();
/// By id; nullptr if there is none.
[[nodiscard]] const ScheduleKind* findScheduleKind(const std::string& id);
/// id: of a kind, "file:schedules/NAME.toml" relative to `project`, or points inline (schedule_file.h).
/// values: texts by plain key, checked against the kind's fields; the rest take their defaults.
/// Errors: schedule.unknown (nearest suggested, known ones listed), schedule.file, schedule.points, config.*.
Result<std::unique_ptr<NoiseSchedule>> makeSchedule(const std::string& id,
                                                    const std::map<std::string, std::string>& values = {},
                                                    const std::filesystem::path& project = {});

/// Respacing of a discrete schedule to fewer reverse steps, with the posterior's coefficients
/// (difformer/respace.py): z <- c1 z0_hat + c2 z + sigma_s F_dec eps.
struct ReverseStep {
    int t = 0;             ///< index into the training steps
    double modelTime = 0;  ///< t * 1000 / T
    double alphaBar = 0, alphaBarPrevious = 1, beta = 0;
    double c1 = 0, c2 = 0, sigma = 0;
    double logSnr = 0;  ///< ln(alpha_bar / (1 - alpha_bar))
};
/// steps in 1..T; index 0 is the cleanest (run from the back). t_s rounds half to even; one step: t = T-1,
/// sigma 0.
[[nodiscard]] std::vector<ReverseStep> respace(const NoiseSchedule& schedule, int steps);
/// A chain through given training steps of the schedule, strictly ascending; the last may have no signal.
[[nodiscard]] std::vector<ReverseStep> respace(const NoiseSchedule& schedule, std::span<const int> steps);
/// The chain as a network sees it that was trained on another discrete schedule: t and modelTime are those of
/// the training step with the same log-SNR (between steps modelTime is linear in it, beyond the ends the
/// end).
[[nodiscard]] std::vector<ReverseStep> asTrained(std::vector<ReverseStep> chain,
                                                 const NoiseSchedule& training);
/// Where N sampling steps evaluate the network, ascending in s: the respaced steps of a discrete schedule (N
/// <= T), else MDLM's grid of equal parts from 1 down to 1e-5, whose last position is left to the noise
/// removal (MDLM diffusion.py).
[[nodiscard]] std::vector<double> samplingPositions(const NoiseSchedule& schedule, int steps);

/// gamma(t') = [cos(t' f_i), sin(t' f_i)], f_i = 10000^(-i/(dim/2)) (Difformer, as in improved_diffusion).
/// dim is even.
[[nodiscard]] std::vector<double> timestepEmbedding(double modelTime, int dim);

/// Learning-rate schedules: inverse-sqrt (fairseq inverse_square_root_schedule.py), cosine, linear (to zero),
/// constant; all with linear warm-up from `initial` to `peak` over `warmup` steps. Cosine and linear end at
/// `final` after `total` steps and stay there.
struct LearningRateSchedule {
    std::string kind = "inverse-sqrt";
    double peak = 5e-4, initial = 1e-7, final = 0;
    std::int64_t warmup = 10000, total = 0;  ///< total steps for cosine and linear
    [[nodiscard]] double at(std::int64_t step) const;
};

}  // namespace kurve::schedule
