#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/base/result.h"
#include "core/metrics/brier.h"

namespace kurve {
class RunConfig;
}

namespace kurve::train {

/// Texts in which a model is to go on from many places; ids with BOS and EOS.
struct BrierRequest {
    std::vector<std::vector<std::int32_t>> texts = {};
    std::int64_t draws = 16;  ///< of a chunk, where the model draws: 2 or more; of TwoSamples 2
    metrics::PairEstimator estimator = metrics::PairEstimator::AllPairs;
    /// Tokens from a start to the next, the first behind BOS; 0: as few as the model has between two.
    std::int64_t every = 0;
    std::uint64_t seed = 1;
    CancelToken cancel = {};
    std::function<void()> alive = {};  ///< if set, called now and then
};

/// What a place of a text gives; terms of four orders.
struct BrierStart {
    std::int64_t row = 0;       ///< of the request
    std::int64_t position = 0;  ///< of the first token in question; that of BOS is 0
    metrics::BrierTerms terms;
};
struct BrierStarts {
    std::vector<BrierStart> starts;  ///< in no order
    std::int64_t every = 0;
    std::string estimator;  ///< for signatures: "draws:16|estimator:all-pairs"
    bool cancelled = false;
};

/// A model that draws the next tokens of a text, by which it can be scored whether it has a likelihood or
/// not. What it draws behind the end of a text is the end again: outcomes are texts. A text's numbers depend
/// on its row, not on the other texts but for rounding. One thread at a time, as the model.
class BrierDraws {
public:
    virtual ~BrierDraws() = default;
    /// Every start behind which four tokens stand that no end is among. `sampler` says how tokens are drawn,
    /// at which temperature too. Errors: sample.too_long, score.brier_every.
    virtual Result<BrierStarts> brierTerms(const BrierRequest& request, const RunConfig& sampler) = 0;
    /// Whether it costs little beside the rest of an evaluation while training.
    [[nodiscard]] virtual bool isCheap() const = 0;
};

}  // namespace kurve::train
