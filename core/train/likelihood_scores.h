#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/metrics/metric.h"
#include "core/train/model_family.h"

namespace kurve::train {

/// Which examples of a split, and how they are noised for a bound.
struct ScoredExamples {
    std::vector<text::Pair> texts;  ///< of the first ones: so many are scored
    const text::Tokenizer& tokenizer;
    int draws = 4;  ///< noise levels per text
    std::uint64_t seed = 1;
    CancelToken cancel = {};
};

/// metrics::likelihoodBounds() of a split: all of them where the model has a bound; of an exact likelihood
/// bits_per_char alone (its perplexity is metrics::perplexity()); metrics::futurePerplexities() of one that
/// predicts several tokens at once; empty where it has none of them, or if cancelled. A line end counts as
/// one character, and the space at which a tokenizer joins the lines of running text as none. Errors: those
/// of the model, metric.empty.
Result<std::map<std::string, metrics::Score>> likelihoodScores(SequenceModel& model, const text::Split& split,
                                                               const ScoredExamples& which);

}  // namespace kurve::train
