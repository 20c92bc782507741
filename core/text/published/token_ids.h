#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace kurve::text::detail {

struct TokenTextHash {
    using is_transparent = void;
    [[nodiscard]] std::size_t operator()(std::string_view text) const {
        return std::hash<std::string_view>{}(text);
    }
};

/// Ids by the text or the bytes of a token; asked with a std::string_view without a copy.
using TokenIds = std::unordered_map<std::string, std::int32_t, TokenTextHash, std::equal_to<>>;

}  // namespace kurve::text::detail
