#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "core/base/result.h"

namespace kurve {
class RandomStream;
}

// Temperature without likelihoods (Shao et al. 2025, "Continuous Autoregressive Language Models", section 5):
// a model that can only be drawn from is drawn from at temperature T, P_T(x) = P(x)^(1/T) / sum P^(1/T), by
// comparing draws. The closed forms of both algorithms are in temperature_law.h.
namespace kurve::sampling {

/// One draw: the token ids of a chunk, compared as a whole.
using Outcome = std::vector<std::int32_t>;

/// `count` >= 1 independent draws from P. Fewer, where the caller wants to end: then as a spent budget.
using DrawMany = std::function<std::vector<Outcome>(std::int64_t count)>;

/// 1/T = whole + fraction, fraction in [0, 1); a 1/T within 1e-9 of a whole number is that number, since 1/T
/// in doubles falls short of it at T = 1/93 and others.
struct Exponent {
    std::int64_t whole = 1;
    double fraction = 0;
};
/// Errors: sampler.temperature (T outside [1e-6, 1]; draws can only sharpen P).
[[nodiscard]] Result<Exponent> exponentOf(double temperature);
/// n of T = 1/n. Errors: sampler.temperature (also where T is no 1/n).
[[nodiscard]] Result<std::int64_t> reciprocal(double temperature);

struct CallBudget {
    std::int64_t most = 100'000;  ///< calls, i.e. draws
    /// Draws asked for at once. 1: no draw more than Algorithm 1 needs, so that the calls are those of
    /// Theorem
    /// 2. More: what is left of a batch serves the next round; the law is the same, unused draws are calls
    /// too.
    std::int64_t batch = 1;
};

struct ExactDraw {
    std::optional<Outcome> outcome;  ///< absent exactly if `exhausted`
    std::int64_t calls = 0;          ///< draws that were made, at most the budget
    std::int64_t distinct = 0;       ///< different outcomes among those that were compared
    bool exhausted = false;
};

/// Algorithm 1, exact at any T: draws n; where all are equal, accepts their value with chance P^fraction by
/// powerCoin(), else begins again. A spent budget gives no outcome rather than a biased one; outcomes only of
/// the calls that ended are biased too, towards short rounds, the more the larger the exhausted share is.
[[nodiscard]] ExactDraw drawExact(const DrawMany& draw, const Exponent& exponent, const CallBudget& budget,
                                  RandomStream& stream);

enum class Verdict : std::uint8_t { Accepted, Rejected, Exhausted };
/// Stage 2 of Algorithm 1, a Bernoulli factory: accepts with chance p^a, 0 < a < 1, by flips that succeed
/// with an unknown chance p > 0; p^(a-1) of them on average. A flip is absent where there are no more.
[[nodiscard]] Verdict powerCoin(const std::function<std::optional<bool>()>& flip, double a,
                                RandomStream& stream);

struct BatchDraw {
    Outcome outcome;
    std::int64_t matched = 0;   ///< m <= n: the copies of an outcome by which it was chosen
    bool fellBack = false;      ///< m < n: this draw's temperature is not 1/n
    std::int64_t distinct = 0;  ///< different outcomes among the draws
    double entropy = 0;         ///< of the draws' shares, nats
};

/// Algorithm 2, T = 1/n by one batch of N >= 1 draws: of the outcomes that occur m times or more, one with
/// chance proportional to binom(count, m), where m is the largest number up to n that any reaches. Biased (N
/// = 1 gives P itself), right for N -> infinity (Theorem 3). Takes one number of the stream; the order of the
/// draws plays no part.
[[nodiscard]] BatchDraw drawBatch(std::span<const Outcome> draws, std::int64_t n, RandomStream& stream);

/// drawBatch() of N draws that are made as far as its choice needs them; its law is the same. Choosing an
/// outcome with chance proportional to binom(count, n) is choosing one of the sets of n equal draws: sets are
/// tried in random order until the draws of one are equal, and draws that no set asked for need not be made.
/// Where P is sharp those are most: about 2 / sum P^2 are made at T = 1/2.
class BatchInRounds {
public:
    BatchInRounds(std::int64_t draws, std::int64_t n);
    /// The choice by the draws made so far, those of earlier calls first; nothing while it needs more of
    /// them. `distinct` and `entropy` are of the draws that were made.
    [[nodiscard]] std::optional<BatchDraw> choose(std::span<const Outcome> made, RandomStream& stream);

private:
    void propose(RandomStream& stream);

    std::int64_t n_, used_ = 0;
    std::vector<std::int64_t> places_;  ///< of each of the N among the draws, in the order of their first use
    std::vector<std::int64_t> set_;     ///< places of the set that is tried next
};

}  // namespace kurve::sampling
