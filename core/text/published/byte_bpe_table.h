#pragma once

#include <array>

#include "core/text/published/byte_bpe.h"
#include "core/text/published/reading.h"

namespace kurve::text::detail {

/// Ids by the bytes that the tokens spell (byte_alphabet.h), hidden tokens left out.
[[nodiscard]] TokenIds idsByBytes(const PublishedVocabulary& vocabulary);
/// The ids of the 256 single bytes; -1 for a byte that no UTF-8 text has. Errors: tokenizer.unsupported (no
/// token for a byte that text may have).
Result<std::array<std::int32_t, 256>> findSingleBytes(const TokenIds& ids);

}  // namespace kurve::text::detail
