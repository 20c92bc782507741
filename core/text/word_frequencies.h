#pragma once

#include "core/text/dataset.h"

namespace kurve::text {

/// Mean of -log of the pieces' own frequencies over the targets of `split`, BOS and EOS left out, in nats:
/// the cross entropy of a model that knows nothing but how often each piece occurs. 0 for no pieces.
[[nodiscard]] double unigramNats(const Split& split);

}  // namespace kurve::text
