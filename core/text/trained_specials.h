#pragma once

#include <array>
#include <cstdint>

#include "core/text/special_ids.h"

namespace kurve::text {

/// The special tokens of every tokenizer that is trained here: <s> <pad> </s> <unk> <mask>. For those
/// tokenizers themselves and for tests; everybody else asks Tokenizer::special().
inline constexpr std::int32_t kBos = 0, kPad = 1, kEos = 2, kUnk = 3, kMask = 4, kFirstRegularToken = 5;
inline constexpr SpecialIds kTrainedSpecials{kBos, kEos, kPad, kUnk, kMask};
inline constexpr std::array<const char*, kFirstRegularToken> kSpecialTokens = {"<s>", "<pad>", "</s>",
                                                                               "<unk>", "<mask>"};

}  // namespace kurve::text
