#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kurve::text::detail {

/// BertNormalizer of tokenizer.json, with BERT's defaults.
struct BertNormalization {
    bool cleansText = true;     ///< control characters away, tab and line ends excepted
    bool spacesChinese = true;  ///< a space at both sides of each Chinese character
    bool stripsAccents = true;  ///< decomposes, then drops non-spacing marks
    bool lowersCase = true;
};

/// Text (valid UTF-8) as BERT's basic tokenizer cuts it: normalised, cut at white space, each punctuation
/// character alone (Devlin et al. 2019, tokenization.py). A null pointer leaves the text as it is. Characters
/// that are younger than Unicode 8 may be other categories than in `tokenizers`.
[[nodiscard]] std::vector<std::string> bertWords(std::string_view text,
                                                 const BertNormalization* normalization);

}  // namespace kurve::text::detail
