#include "models/common/attention_masks.h"

#include <torch/torch.h>

#include <limits>

#include "models/common/padding.h"

namespace kurve::models {

at::Tensor additiveMask(const at::Tensor& allowed, const at::Tensor& like) {
    return at::zeros(allowed.sizes(), like.options())
        .masked_fill_(allowed.logical_not(), -std::numeric_limits<float>::infinity());
}

at::Tensor causalMask(std::int64_t length, const at::Tensor& like) {
    return at::full({length, length}, -std::numeric_limits<float>::infinity(), like.options()).triu_(1);
}

at::Tensor blockCausalMask(std::int64_t length, std::int64_t block, const at::Tensor& like) {
    const at::Tensor number = at::arange(length, like.options().dtype(at::kLong)).floor_divide(block);
    return additiveMask(number.unsqueeze(1).ge(number), like);
}

at::Tensor prefixMask(std::span<const std::int32_t> prefixes, std::int64_t length, const at::Tensor& like) {
    const at::Tensor position = at::arange(length, like.options().dtype(at::kLong)),
                     inPrefix = realPositions(prefixes, length, like.device()).unsqueeze(1).unsqueeze(1);
    return additiveMask(position.unsqueeze(1).ge(position).logical_or(inPrefix), like);
}

}  // namespace kurve::models
