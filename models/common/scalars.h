#pragma once

#include "core/config/scalar_spec.h"

namespace kurve::models {

/// Scalars that several families log.
[[nodiscard]] inline ScalarSpec lengthLossScalar() {
    return {"loss_length", "Length loss", "nats", "cross entropy of the predicted length", false, true};
}
[[nodiscard]] inline ScalarSpec maskedNllScalar() {
    return {"masked_nll", "Masked NLL",
            "nats",       "negative log-likelihood of a masked token, without label smoothing",
            false,        true,
            "masked_nll"};
}
[[nodiscard]] inline ScalarSpec embeddingDeviationScalar() {
    return {"embedding_std",
            "Embedding standard deviation",
            "",
            "standard deviation of the embedding table; a fall warns of collapse",
            true,
            false};
}

}  // namespace kurve::models
