#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve::sampling {

/// How likely ReMDM masks unmasked positions again (Wang et al. 2025, arXiv 2503.00307).
enum class RemaskingSchedule : std::uint8_t {
    None,        ///< sigma = 0: ancestral sampling
    Cap,         ///< sigma = min(eta, sigma_max)
    Rescale,     ///< sigma = eta * sigma_max
    Confidence,  ///< eta * sigma_max in all, shared by confidenceRemasking(); the authors' code has eta 1
    Loop,        ///< Cap while off < t <= on, where the mask probability is constant; else None
};

/// ReMDM-loop's three phases: the mask probability falls linearly from 1 at t = 1 to 1 - alpha at t = on,
/// stays there down to t = off, and falls linearly to 0 at t = 0. Defaults of the authors' code.
struct LoopPhases {
    double on = 0.55;
    double off = 0.05;
    double alpha = 0.9;  ///< fraction unmasked in the middle phase
};

/// The mask probability at `time`, which is taken within [0, 1]; needs 0 <= off <= on <= 1 and alpha in
/// [0, 1].
[[nodiscard]] double loopMaskProbability(const LoopPhases& phases, double time);

struct Remasking {
    RemaskingSchedule schedule = RemaskingSchedule::None;
    double eta = 0;  ///< within [0, 1]; 0 is ancestral sampling under every schedule
    LoopPhases loop;
};

/// One step: from time `t`, where a position is masked with probability `pt` = 1 - alpha_t, to `ps` =
/// 1 - alpha_s. Loop takes both from loopMaskProbability(), the others from the noise schedule.
struct MaskingStep {
    double t = 1;
    double pt = 1;
    double ps = 0;  ///< at most pt; a negative one, at the end of a grid, counts as 0
};

/// What a step does to each position independently.
struct RemaskingTransition {
    double unmask = 0;  ///< probability that a masked position is unmasked
    double remask = 0;  ///< that an unmasked one is masked again; Confidence: the sum over all of them
};

/// The largest remasking probability that keeps the mask probabilities: min(1, ps / (1 - pt)).
[[nodiscard]] double maxRemaskProbability(double pt, double ps);

/// remask = sigma, unmask = (alpha_s - (1 - sigma) alpha_t) / (1 - alpha_t) = (pt - ps + sigma (1 - pt)) /
/// pt. A step to ps = 0 unmasks all and remasks none: let the last step be one. Whichever eta, a position is
/// masked with probability ps after the step if it was with pt before. Confidence: masked positions have
/// sigma = 0, so that more stay masked than the noise schedule says, and tokens of high probability are
/// favoured even where the network's conditionals are exact; the other schedules never look at a token.
[[nodiscard]] RemaskingTransition remaskingTransition(const Remasking& remasking, const MaskingStep& step);

/// ReMDM-conf: the probability of each position to be masked again, remask * softmax(-confidence).
/// `confidences` lists the unmasked positions except the given ones, which no schedule may remask: the
/// probability that the token had when it was last unmasked. NaN counts as 0.
[[nodiscard]] std::vector<double> confidenceRemasking(double remask, std::span<const float> confidences);

}  // namespace kurve::sampling
