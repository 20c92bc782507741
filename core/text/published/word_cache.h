#pragma once

#include <array>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/published/token_ids.h"

namespace kurve::text::detail {

/// Ids of words that were encoded before; never changes a result. Callable from any thread. It holds at most
/// kWords words of at most kWordBytes bytes: what comes later is not kept.
class WordCache {
public:
    static constexpr std::size_t kWords = std::size_t{1} << 16, kWordBytes = 64;

    /// Appends the ids of `word` if they are known.
    bool find(std::string_view word, std::vector<std::int32_t>& ids);
    void keep(std::string_view word, std::span<const std::int32_t> ids);

private:
    static constexpr std::size_t kParts = 16;

    /// Each part has its own lock, so that threads seldom wait for each other.
    struct Part {
        std::mutex mutex;
        std::unordered_map<std::string, std::vector<std::int32_t>, TokenTextHash, std::equal_to<>> words;
    };
    Part& partOf(std::string_view word) { return parts_[TokenTextHash{}(word) % kParts]; }

    std::array<Part, kParts> parts_;
};

}  // namespace kurve::text::detail
