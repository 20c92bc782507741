#pragma once

#include <string>

namespace kurve::store {

/// The notes of two writers who both began with `base`: what each of them added, changed and took away, line
/// by line. Lines that both changed differently are kept as both wrote them, mine first: no text is lost.
[[nodiscard]] std::string mergeNotes(const std::string& base, const std::string& mine,
                                     const std::string& theirs);

}  // namespace kurve::store
