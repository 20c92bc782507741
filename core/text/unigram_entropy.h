#pragma once

#include "core/text/dataset.h"

namespace kurve::text {

/// Entropy of the tokens' frequencies over the targets of `split`, without BOS and EOS, in nats: the cross
/// entropy of a unigram model. 0 without tokens.
[[nodiscard]] double unigramEntropy(const Split& split);

}  // namespace kurve::text
