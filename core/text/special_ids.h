#pragma once

#include <cstdint>
#include <vector>

namespace kurve::text {

/// The ids of a tokenizer's special tokens; kNone where it has no such token. Two of them may be the same id
/// (GPT-2's <|endoftext|> begins and ends a text). Models ask for all but unk.
struct SpecialIds {
    static constexpr std::int32_t kNone = -1;

    std::int32_t bos = kNone, eos = kNone, pad = kNone, unk = kNone, mask = kNone;

    /// Those that no text has behind its beginning, unless they end it too: bos, pad and mask.
    [[nodiscard]] std::vector<std::int32_t> neverInText() const {
        std::vector<std::int32_t> ids;
        for (const std::int32_t id : {pad, bos, mask})
            if (id != eos) ids.push_back(id);
        return ids;
    }
    /// What stands around a text, or fills up its row.
    [[nodiscard]] bool isFrame(std::int32_t id) const { return id == bos || id == eos || id == pad; }

    friend bool operator==(const SpecialIds&, const SpecialIds&) = default;
};

}  // namespace kurve::text
