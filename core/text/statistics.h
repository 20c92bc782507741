#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/corpus.h"

namespace kurve::text {

struct LengthSummary {
    std::int64_t min = 0, p50 = 0, p95 = 0, max = 0;
};
/// Nearest-rank percentiles; all 0 for no lengths.
[[nodiscard]] LengthSummary summarizeLengths(std::vector<std::int64_t> lengths);

/// Lower-cased letters and digits only: equal for two texts that differ in case, punctuation or spacing.
[[nodiscard]] std::string sentenceKey(std::string_view text);

/// sentenceKey() of both sides as 64 bits; 0 for none.
struct PairKeys {
    std::uint64_t source = 0, target = 0;
};
[[nodiscard]] PairKeys keysOf(const Pair& pair);
[[nodiscard]] std::vector<PairKeys> keysOf(const Corpus& corpus);

/// The sentences of a corpus by their keys.
class SentenceSet {
public:
    explicit SentenceSet(std::span<const PairKeys> pairs);
    /// Whether it has the pair's source among its sources, or the target among its targets.
    [[nodiscard]] bool shares(PairKeys pair) const;

private:
    std::vector<std::uint64_t> sources_, targets_;
};

/// Of documents.
[[nodiscard]] std::int64_t sentenceCount(const Corpus& documents);

/// Pairs that occur in a corpus more than once (each further copy counts).
[[nodiscard]] std::int64_t duplicatePairs(const Corpus& corpus);

/// Overlap of a split with the training split; of texts and documents whole ones, not their parts.
struct Leak {
    std::int64_t pairs =
        0;  ///< pairs of `other` whose source or target, up to case and punctuation, is also in `train`
    std::vector<std::string> examples;  ///< up to 5 such texts
};
[[nodiscard]] Leak findLeak(const Corpus& train, const Corpus& other);

/// Fraction of the words of `other` (split at white space, both sides) that are not in `train`.
[[nodiscard]] double unseenWordRate(const Corpus& train, const Corpus& other);

}  // namespace kurve::text
