#include "core/text/reference_text.h"

#include <algorithm>

#include "core/text/lower_case.h"
#include "core/text/tokenizer.h"

namespace kurve::text {

std::string referenceText(const Tokenizer& tokenizer, const std::string& text) {
    std::string lower = lowerCase(text);
    if (lower == text) return text;
    const auto ids = tokenizer.encode(text);
    if (ids != tokenizer.encode(lower)) return text;
    const bool known = std::ranges::find(ids, tokenizer.special().unk) == ids.end();
    return known ? tokenizer.decode(ids) : lower;
}

}  // namespace kurve::text
