#pragma once

#include <string_view>

namespace kurve {

/// True if brackets of a JSON text nest deeper than `limit`. Bytes from outside are asked this before they
/// reach a parser, because a parser's memory grows with the depth. Total: any bytes are fine.
[[nodiscard]] inline bool jsonDeeperThan(std::string_view text, int limit) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > limit) return true;
        } else if (c == ']' || c == '}') {
            --depth;
        }
    }
    return false;
}

}  // namespace kurve
