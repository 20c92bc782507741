#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/base/result.h"

namespace kurve::train {

/// Pairs to score; ids with BOS and EOS, as many sources as targets.
struct LikelihoodRequest {
    std::vector<std::vector<std::int32_t>> sources, targets;
    CancelToken cancel;
    bool states = false;  ///< fill Likelihoods::pooledState
};
struct Likelihoods {
    /// By pair: log p of every id of the target after its BOS, given the source and the ids before it.
    std::vector<std::vector<double>> logProbability;
    /// If requested, by pair: the mean over the same ids of the decoder's last hidden states [width].
    std::vector<std::vector<double>> pooledState;
    bool cancelled = false;
};

/// Teacher-forced scoring by a model that factorises a target's probability token by token. A pair's numbers
/// do not depend on the other pairs but for rounding.
class Likelihood {
public:
    virtual ~Likelihood() = default;
    /// Errors: sample.too_long.
    virtual Result<Likelihoods> score(const LikelihoodRequest& request) = 0;
};

/// Texts whose likelihood is to be bounded; ids as in LikelihoodRequest, sources without tokens where there
/// are none.
struct BoundRequest {
    std::vector<std::vector<std::int32_t>> sources, targets;
    std::uint64_t seed = 1;
    int draws = 4;  ///< noise levels per text
    CancelToken cancel;
};
struct LikelihoodBounds {
    std::vector<double> nats;          ///< by text: an unbiased estimate of the bound of -log p(text)
    std::vector<std::int64_t> tokens;  ///< by text: how many tokens that is of
    std::string estimator;             ///< for signatures: "exact-count draws:4"
    bool cancelled = false;
};

/// A negative evidence lower bound, estimated by drawing noise: never to be called a perplexity.
class LikelihoodBound {
public:
    virtual ~LikelihoodBound() = default;
    virtual Result<LikelihoodBounds> bound(const BoundRequest& request) = 0;
};

}  // namespace kurve::train
