#include "models/common/word_table.h"

#include <torch/torch.h>

namespace kurve::models {

at::Tensor WordTable::logits(const at::Tensor& x) const {
    const at::Tensor products = at::matmul(x, embeddings.t());
    return maybeBias.defined() ? products + maybeBias : products;
}

at::Tensor WordTable::latents(const at::Tensor& ids) const {
    const at::Tensor rows = at::embedding(embeddings, ids);
    return latentOf ? latentOf(rows) : rows;
}

}  // namespace kurve::models
