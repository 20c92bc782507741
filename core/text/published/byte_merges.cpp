#include "core/text/published/byte_merges.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <tuple>

namespace kurve::text::detail {
namespace {

constexpr std::int32_t kEnd = -1, kMerged = -1;

/// A token of the word so far, in a list linked by indices.
struct Symbol {
    std::int32_t id, previous, next;
    std::size_t begin, end;  ///< its bytes in the word
};

struct Candidate {
    std::int32_t rank, at, id;
    friend bool operator>(const Candidate& a, const Candidate& b) {
        return std::tie(a.rank, a.at) > std::tie(b.rank, b.at);
    }
};

class WordMerger {
public:
    WordMerger(std::string_view word, const std::array<std::int32_t, 256>& idsOfBytes,
               const MergeTable& merges)
        : word_(word), merges_(merges) {
        const auto count = static_cast<std::int32_t>(word.size());
        symbols_.reserve(word.size());
        for (std::int32_t i = 0; i < count; ++i) {
            const auto at = static_cast<std::size_t>(i);
            const auto byte = static_cast<unsigned char>(word[at]);
            symbols_.push_back({idsOfBytes[byte], i - 1, i + 1 < count ? i + 1 : kEnd, at, at + 1});
        }
        for (std::int32_t i = 0; i < count; ++i) propose(i);
    }

    void mergeAll() {
        while (!candidates_.empty()) {
            const Candidate best = candidates_.top();
            candidates_.pop();
            // What was proposed before a merge beside it is another pair by now.
            const auto now = pairAt(best.at);
            if (now && now->id == best.id) mergeAt(best.at, best.id);
        }
    }

    void appendIds(std::vector<std::int32_t>& ids) const {
        for (std::int32_t at = symbols_.empty() ? kEnd : 0; at != kEnd; at = symbol(at).next)
            ids.push_back(symbol(at).id);
    }

private:
    [[nodiscard]] const Symbol& symbol(std::int32_t at) const {
        return symbols_[static_cast<std::size_t>(at)];
    }
    Symbol& symbol(std::int32_t at) { return symbols_[static_cast<std::size_t>(at)]; }

    [[nodiscard]] std::optional<TokenMerge> pairAt(std::int32_t at) const {
        if (at == kEnd || symbol(at).id == kMerged || symbol(at).next == kEnd) return std::nullopt;
        const Symbol &left = symbol(at), &right = symbol(left.next);
        return merges_.find(left.id, right.id, word_.substr(left.begin, right.end - left.begin));
    }

    void propose(std::int32_t at) {
        if (const auto merge = pairAt(at)) candidates_.push({merge->rank, at, merge->id});
    }

    void mergeAt(std::int32_t at, std::int32_t id) {
        Symbol& left = symbol(at);
        Symbol& right = symbol(left.next);
        left.id = id;
        left.end = right.end;
        left.next = right.next;
        right.id = kMerged;
        if (left.next != kEnd) symbol(left.next).previous = at;
        propose(left.previous);
        propose(at);
    }

    std::string_view word_;
    const MergeTable& merges_;
    std::vector<Symbol> symbols_;
    std::priority_queue<Candidate, std::vector<Candidate>, std::greater<>> candidates_;
};

}  // namespace

std::optional<TokenMerge> PairMerges::find(std::int32_t left, std::int32_t right, std::string_view) const {
    const auto found = merges_.find(key(left, right));
    return found == merges_.end() ? std::nullopt : std::optional(found->second);
}

std::optional<TokenMerge> RankMerges::find(std::int32_t, std::int32_t, std::string_view bytes) const {
    const auto found = ranks_->find(bytes);
    return found == ranks_->end() ? std::nullopt : std::optional(TokenMerge{found->second, found->second});
}

void mergeBytes(std::string_view word, const std::array<std::int32_t, 256>& idsOfBytes,
                const MergeTable& merges, std::vector<std::int32_t>& ids) {
    WordMerger merger(word, idsOfBytes, merges);
    merger.mergeAll();
    merger.appendIds(ids);
}

}  // namespace kurve::text::detail
