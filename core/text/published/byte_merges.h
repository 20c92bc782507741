#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/text/published/token_ids.h"

namespace kurve::text::detail {

/// What two neighbours become; the smallest rank is merged first.
struct TokenMerge {
    std::int32_t rank, id;
};

/// Which neighbours may be merged. Immutable once filled.
class MergeTable {
public:
    virtual ~MergeTable() = default;
    /// `bytes` are those of both tokens together.
    [[nodiscard]] virtual std::optional<TokenMerge> find(std::int32_t left, std::int32_t right,
                                                         std::string_view bytes) const = 0;
};

/// A list of pairs in the order of their ranks (tokenizer.json).
class PairMerges : public MergeTable {
public:
    void reserve(std::size_t pairs) { merges_.reserve(pairs); }
    /// The last rank of a pair stays.
    void add(std::int32_t left, std::int32_t right, TokenMerge merge) {
        merges_.insert_or_assign(key(left, right), merge);
    }
    [[nodiscard]] std::optional<TokenMerge> find(std::int32_t left, std::int32_t right,
                                                 std::string_view bytes) const override;

private:
    static std::uint64_t key(std::int32_t left, std::int32_t right) {
        return (static_cast<std::uint64_t>(left) << 32U) | static_cast<std::uint32_t>(right);
    }
    std::unordered_map<std::uint64_t, TokenMerge> merges_;
};

/// Every pair whose bytes are a token, the id being the rank (tiktoken).
class RankMerges : public MergeTable {
public:
    explicit RankMerges(std::shared_ptr<const TokenIds> ranks) : ranks_(std::move(ranks)) {}
    [[nodiscard]] std::optional<TokenMerge> find(std::int32_t left, std::int32_t right,
                                                 std::string_view bytes) const override;

private:
    std::shared_ptr<const TokenIds> ranks_;
};

/// Byte-pair encoding of one word: from its single bytes, the pair of the smallest rank is merged, the
/// leftmost of equals, until no pair is left (Sennrich et al. 2016, section 3.2). Time O(n log n) for n
/// bytes.
void mergeBytes(std::string_view word, const std::array<std::int32_t, 256>& idsOfBytes,
                const MergeTable& merges, std::vector<std::int32_t>& ids);

}  // namespace kurve::text::detail
