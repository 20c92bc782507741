#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace kurve::text::detail {

/// Whose reading of a regular expression a tokenizer was published with.
enum class PatternDialect : unsigned char {
    Oniguruma,  ///< tokenizer.json: $ and ^ at each line, {n,m}+ repeats the group
    Rust,       ///< tiktoken: $ only at the end of the text, {n,m}+ gives nothing back
    Literal,    ///< no regular expression, the text itself
};

/// The same expression for PCRE2. Errors: tokenizer.unsupported (sets within sets, \h).
Result<std::string> translatePattern(std::string_view pattern, PatternDialect dialect);

}  // namespace kurve::text::detail
