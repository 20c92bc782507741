#include "models/common/token_layout.h"

#include <torch/torch.h>

#include "models/common/encoder.h"
#include "models/common/padding.h"

namespace kurve::models {

TokenLayout::TokenLayout(std::vector<std::int32_t> tokenLengths, std::int64_t tokens, c10::Device device)
    : tokenLengths_(std::move(tokenLengths)),
      tokens_(tokens),
      mask_(attentionMask(tokenLengths_, tokens, device)) {}

at::Tensor TokenLayout::positions(const at::Tensor& table) const {
    return table.narrow(0, kFirstPositionRow, tokens_);
}

std::map<std::string, trace::Block> TokenLayout::describe(std::int64_t) const {
    return {};
}

}  // namespace kurve::models
