#pragma once

#include <cstdint>

namespace kurve::text {

/// The ids of a tokenizer's special tokens; kNone where it has no such token. Two of them may be the same id
/// (GPT-2's <|endoftext|> begins and ends a text).
struct SpecialIds {
    static constexpr std::int32_t kNone = -1;

    std::int32_t bos = kNone, eos = kNone, pad = kNone, unk = kNone, mask = kNone;

    friend bool operator==(const SpecialIds&, const SpecialIds&) = default;
};

}  // namespace kurve::text
