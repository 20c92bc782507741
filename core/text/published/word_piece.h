#pragma once

#include <memory>
#include <optional>
#include <string>

#include "core/text/published/bert_words.h"
#include "core/text/published/token_ids.h"
#include "core/text/published/vocabulary_tokenizer.h"

namespace kurve::text::detail {

/// What a WordPiece tokenizer is made from.
struct WordPieceParts {
    PublishedVocabulary vocabulary;   ///< with special.unk
    TokenIds ids;                     ///< of the tokens that text may become: none that is special
    std::string continuation = "##";  ///< begins a token that continues a word
    std::size_t longestWord = 100;    ///< in characters; a longer one is unknown
    std::optional<BertNormalization> normalization = BertNormalization();
    bool tidiesSpaces = true;  ///< decode() takes away spaces before punctuation and English contractions
};

/// Each word becomes the longest token that begins it, the longest that continues it, and so on; a word that
/// no tokens spell becomes special.unk (Wu et al. 2016, section 4.1, with BERT's greedy search).
[[nodiscard]] std::shared_ptr<const Tokenizer> makeWordPiece(WordPieceParts parts);

}  // namespace kurve::text::detail
