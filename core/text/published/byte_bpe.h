#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/text/published/byte_merges.h"
#include "core/text/published/split_pattern.h"
#include "core/text/published/vocabulary_tokenizer.h"

namespace kurve::text::detail {

/// One step of cutting text into words: a space before each part that has none, then the cut.
struct SplitStep {
    bool addsSpace = false;
    std::optional<SplitPattern> pattern;
    SplitPattern::Kept kept;
};

/// What a BPE over bytes is made from.
struct ByteBpeParts {
    PublishedVocabulary vocabulary;
    std::vector<std::string> bytes;            ///< what each id stands for; as many as tokens
    std::array<std::int32_t, 256> idsOfBytes;  ///< -1 for bytes that no UTF-8 text has
    std::unique_ptr<const MergeTable> merges;
    std::shared_ptr<const TokenIds> wholeWords;  ///< words that are a token without merges; null for none
    std::vector<SplitStep> steps;
    bool composes = false;  ///< NFC before anything else
};

/// Unless a step adds spaces or text is composed, decode(encode(x)) == x for every text.
[[nodiscard]] std::shared_ptr<const Tokenizer> makeByteBpe(ByteBpeParts parts);

}  // namespace kurve::text::detail
