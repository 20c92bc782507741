#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace kurve {

/// "1 step", "2 steps", "0.5 seconds": a number with its noun, whose plural ends in s.
template <class Number>
[[nodiscard]] std::string counted(Number count, std::string_view noun) {
    return fmt::format("{} {}{}", count, noun, count == Number{1} ? "" : "s");
}

}  // namespace kurve
