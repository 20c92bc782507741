#pragma once

#include <string_view>

#include "core/base/result.h"
#include "core/text/corpus.h"

namespace kurve::text::detail {

/// The texts of a line {"src": "…", "trg": "…"}, DiffuSeq's form; without `withSource` "trg" alone. Other
/// members are ignored; tabs and line breaks become blanks, so that the texts fit a TSV. Errors, without
/// file and line: data.json, data.nul.
Result<Pair> readJsonLine(std::string_view line, bool withSource);

}  // namespace kurve::text::detail
