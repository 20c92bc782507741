#pragma once

#include <string>

namespace kurve::text {

class Tokenizer;

/// A text that outputs are compared with: where it has capitals that the tokenizer does not see, as the
/// tokenizer writes it, for no output has them; else the text. With an unknown token it is lower-cased only:
/// as that token all unknown words would be equal.
[[nodiscard]] std::string referenceText(const Tokenizer& tokenizer, const std::string& text);

}  // namespace kurve::text
