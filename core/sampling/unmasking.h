#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace kurve {
class RandomStream;
}

namespace kurve::sampling {

/// Which masked positions are unmasked first: any, those with the largest probability (MaskGIT's confidence),
/// with the largest margin between best and second (Kim et al. 2025), with the smallest entropy.
enum class UnmaskingOrder : std::uint8_t { Random, Confidence, Margin, Entropy };

/// What the network's distribution at one masked position says. NaN counts as least certain in every rule.
struct Certainty {
    float confidence = 0;  ///< largest probability
    float margin = 0;      ///< largest minus second largest probability
    float entropy = 0;     ///< nats
};

// Each rule lists the masked positions that one step unmasks: indices into `certainties`, one entry per
// masked position, or below `masked`; ascending. Equal certainties: the lowest index first. An empty list
// stays empty. Pure functions, for any thread. With exact conditionals and one position a step, every order
// here gives the exact joint distribution; unmasking several at once is the only error.

/// The `count` most certain, or all if there are fewer. `order` is not Random.
[[nodiscard]] std::vector<int> mostCertain(std::span<const Certainty> certainties, UnmaskingOrder order,
                                           int count);

/// `count` of `masked`, or all if there are fewer; every subset is equally probable.
[[nodiscard]] std::vector<int> randomChoice(int masked, int count, RandomStream& stream);

/// All whose confidence or margin is at least the threshold, entropy at most (compared in float32); the most
/// certain one where none is. `order` is not Random.
[[nodiscard]] std::vector<int> aboveThreshold(std::span<const Certainty> certainties, UnmaskingOrder order,
                                              double threshold);

/// Entropy-bounded unmasking (EB-Sampler, Ben-Hamu et al. 2025, arXiv 2505.24857): the largest set, by
/// ascending entropy, whose sum of entropies minus the largest of them is at most `gamma` (nats); at least
/// one. That difference bounds the KL divergence which unmasking the set at once adds.
[[nodiscard]] std::vector<int> entropyBounded(std::span<const Certainty> certainties, double gamma);

/// How many of `masked` positions, still masked now, step `step` (from 0) of `steps` unmasks so that none is
/// left after the last: ceil(masked / (steps - step)). Counts of two steps differ by at most one, larger ones
/// first; never 0 while a mask is left.
[[nodiscard]] int evenBudget(int masked, int step, int steps);

/// Probability that a masked position is unmasked on the way from mask probability `pt` down to `ps`:
/// (pt - ps) / pt, within [0, 1] (MDLM, Sahoo et al. 2024, arXiv 2406.07524). 1 for pt <= 0, and for a
/// negative ps, where the grid of MDLM's semi-autoregressive sampler ends.
[[nodiscard]] double unmaskProbability(double pt, double ps);

}  // namespace kurve::sampling
