#pragma once

#include "models/diffusia/diffusia_net.h"

namespace kurve::models::diffusia {

/// What training can begin from (the paper's encoder begins from BERT): of an imported BERT (family
/// sentence_encoder) its layers for the encoder, its words, positions and first norm for the source, the
/// first token type added to the positions; of an MDLM its words, for its blocks are of another kind.
/// Cross-attention and decoder have no counterpart. `own`, `other`: the settings of both. Errors: model.heads
/// and train.init_from (another activation).
[[nodiscard]] Result<train::InitialSources> initialSources(const DiffusiaNetImpl& net, const RunConfig& own,
                                                           const RunConfig& other);

}  // namespace kurve::models::diffusia
