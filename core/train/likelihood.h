#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/base/result.h"

namespace kurve::train {

/// Pairs whose probability is asked; ids with BOS and EOS, as many sources as targets.
struct LikelihoodRequest {
    std::vector<std::vector<std::int32_t>> sources, targets;
    CancelToken cancel;
    bool states = false;  ///< pooledState is wanted too
};
struct Likelihoods {
    /// By pair: log p of every id of the target after its BOS, given the source and the ids before it.
    std::vector<std::vector<double>> logProbability;
    /// Where asked for, by pair: the mean over the same ids of the decoder's last states [width], what a text
    /// looks like to the model.
    std::vector<std::vector<double>> pooledState;
    bool cancelled = false;
};

/// What a model offers that gives a target an exact probability, word by word. A pair's numbers do not depend
/// on the other pairs but for rounding.
class Likelihood {
public:
    virtual ~Likelihood() = default;
    /// Errors: sample.too_long.
    virtual Result<Likelihoods> score(const LikelihoodRequest& request) = 0;
};

}  // namespace kurve::train
