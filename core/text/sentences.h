#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kurve::text {

/// The longest sentence, in characters: what is decoded back from a sentence's vector gets worse fast above
/// it. Source: LCM, section 2.2.
inline constexpr std::size_t kSentenceCap = 200;

/// Cuts running text into sentences by rules, without a model. Every run of white space counts as one space.
///
/// A sentence ends behind a run of sentence marks (Unicode's property Sentence_Break STerm, and . … of ATerm)
/// with the closing quotes and brackets that follow (“ " ' before a letter open):
/// - marks beyond ASCII (。 ！ ؟ । ။): at once, unless a digit follows;
/// - ! ? . … ‽: where white space follows, unless the next letter is a small one;
/// - a single ".": not behind an abbreviation ("Mr.", "e.g."), a capital letter alone ("J. Smith"; but "I."),
///   or a number that begins the sentence ("1. Moses").
///
/// A sentence above `cap` characters is cut further: behind sentence marks, else ; and :, else commas, else
/// at spaces, else anywhere but inside a grapheme cluster; pieces are as long as the cap allows. Pieces
/// without a letter or digit are left out.
[[nodiscard]] std::vector<std::string> sentencesOf(std::string_view text, std::size_t cap = kSentenceCap);

/// Only the cutting at the cap, of one sentence.
[[nodiscard]] std::vector<std::string> capped(std::string_view sentence, std::size_t cap = kSentenceCap);

}  // namespace kurve::text
