#pragma once

#include <cstdint>
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

}  // namespace kurve::train
