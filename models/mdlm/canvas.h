#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "core/train/model_family.h"

namespace kurve::models::mdlm {

/// How examples become what the network reads.
struct CanvasRules {
    bool anchor = true;      ///< the text's <s> is never masked
    bool fixed = false;      ///< every text has `width` tokens; </s> and <pad> are masked like others
    bool filled = false;     ///< shorter texts of a fixed canvas are filled with <pad>
    std::int64_t width = 0;  ///< longest text, <s> and </s> included
    text::SpecialIds special = {};
};

/// Sources, if there are any, each followed by its text. Without fixed widths <s> and </s> of the text are
/// not masked (the length is known), and attention ends with the text.
struct Canvas {
    at::Tensor ids;                     ///< [B, W] i64 on the device
    std::vector<std::int32_t> lengths;  ///< [B] read positions
    at::Tensor maskable, counted;       ///< [B, W] bool on the host: may be masked; cost something if masked
};
[[nodiscard]] Canvas canvasOf(const train::DeviceBatch& batch, const CanvasRules& rules);

}  // namespace kurve::models::mdlm
