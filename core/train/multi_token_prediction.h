#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/metrics/future_perplexity.h"
#include "core/train/likelihood.h"

namespace kurve::train {

/// How the last hidden state h [H] of a context is perturbed: Dropout_p(h) + a |h| / sqrt(H) e with e ~
/// N(0, I) (Sentence Curve Language Models, sec. 5.4, where p, a and the number are left open).
struct Perturbation {
    std::int64_t samples = 100;
    double dropout = 0.1;  ///< p, in [0, 1)
    double noise = 0.1;    ///< a
    std::uint64_t seed = 1;
    std::uint64_t row = 0;  ///< of the context: every row has random numbers of its own
};

/// A model that predicts the next n tokens from one hidden state, each without having seen the others: the
/// product of their probabilities is no likelihood of a text. One thread at a time, as the model.
class MultiTokenPrediction {
public:
    virtual ~MultiTokenPrediction() = default;
    [[nodiscard]] virtual std::int64_t tokensPerState() const = 0;  ///< n
    struct FutureLikelihoods {
        std::vector<metrics::FutureNll> texts;
        bool cancelled = false;
    };
    /// Teacher-forced: at every position of a target, -log p of the tokens 1 to n after it. Errors:
    /// sample.too_long.
    virtual Result<FutureLikelihoods> futureNll(const LikelihoodRequest& request) = 0;
    /// Logits [n, samples, V] f64 on the host of the tokens after `context` (ids, BOS first), predicted from
    /// its perturbed states as decoding predicts them. Errors: sample.too_long.
    virtual Result<at::Tensor> perturbedLogits(const std::vector<std::int32_t>& context,
                                               const Perturbation& perturbation) = 0;
};

}  // namespace kurve::train
