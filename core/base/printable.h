#pragma once

#include <string>
#include <string_view>

namespace kurve {

/// Text of others as a terminal may show it. What steers a terminal or turns the direction of writing (C0 but
/// for tab and newline, DEL, C1, U+2028 and U+2029, the marks of bidirectional text) stands there as \x1b or
/// \u202e, what is not UTF-8 as U+FFFD.
[[nodiscard]] std::string printable(std::string_view text);
/// The same where it is to stay on its line: tab and newline stand there as \t and \n.
[[nodiscard]] std::string printableLine(std::string_view text);
/// The same of a JSON document, which keeps its value: \u009b.
[[nodiscard]] std::string printableJson(std::string_view document);
/// Of what an exception says: LibTorch adds where it was thrown.
[[nodiscard]] std::string firstLine(std::string_view text);

}  // namespace kurve
