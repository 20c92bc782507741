#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "core/text/dataset.h"

namespace kurve::text {
namespace {

/// Batches' worth of pairs that are sorted by length together: large enough that a batch's rows have nearly
/// one length, small enough that an epoch is still well mixed.
constexpr std::int64_t kBatchesInPool = 64;

std::int64_t longestSide(const Split& split, std::int32_t pair) {
    const auto at = static_cast<std::size_t>(pair);
    return static_cast<std::int64_t>(std::max(split.sourceLength(at), split.targetLength(at)));
}

/// Splits pairs, in their order, into batches of rows x longest side <= limit.
void splitBatches(const Split& split, std::span<const std::int32_t> pairs, std::int64_t limit,
                  std::vector<std::vector<std::int32_t>>& out) {
    std::vector<std::int32_t> rows;
    std::int64_t longest = 0;
    for (const std::int32_t pair : pairs) {
        const std::int64_t next = std::max(longest, longestSide(split, pair));
        if (!rows.empty() && next * static_cast<std::int64_t>(rows.size() + 1) > limit) {
            out.push_back(std::move(rows));
            rows.clear();
            longest = 0;
        }
        rows.push_back(pair);
        longest = std::max(longest, longestSide(split, pair));
    }
    if (!rows.empty()) out.push_back(std::move(rows));
}

void fillSide(std::span<const std::int32_t> ids, std::size_t row, std::size_t width,
              std::vector<std::int32_t>& out) {
    std::copy(ids.begin(), ids.end(), out.begin() + static_cast<std::ptrdiff_t>(row * width));
}

}  // namespace

std::int64_t Batch::targetTokens() const {
    return std::accumulate(targetLengths.begin(), targetLengths.end(), std::int64_t{0});
}

Batch makeBatch(const Split& split, std::span<const std::int32_t> pairs) {
    Batch batch;
    batch.rows = static_cast<int>(pairs.size());
    batch.pairs.assign(pairs.begin(), pairs.end());
    for (const std::int32_t pair : pairs) {
        const auto at = static_cast<std::size_t>(pair);
        batch.sourceLengths.push_back(static_cast<std::int32_t>(split.sourceLength(at)));
        batch.targetLengths.push_back(static_cast<std::int32_t>(split.targetLength(at)));
        batch.sourceLength = std::max(batch.sourceLength, batch.sourceLengths.back());
        batch.targetLength = std::max(batch.targetLength, batch.targetLengths.back());
    }
    const auto sourceWidth = static_cast<std::size_t>(batch.sourceLength);
    const auto targetWidth = static_cast<std::size_t>(batch.targetLength);
    batch.source.assign(pairs.size() * sourceWidth, kPad);
    batch.target.assign(pairs.size() * targetWidth, kPad);
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        fillSide(split.source(static_cast<std::size_t>(pairs[row])), row, sourceWidth, batch.source);
        fillSide(split.target(static_cast<std::size_t>(pairs[row])), row, targetWidth, batch.target);
    }
    return batch;
}

BatchStream::BatchStream(std::shared_ptr<const Split> split, std::int64_t batchTokens, std::uint64_t seed)
    : split_(std::move(split)), batchTokens_(batchTokens), seed_(seed) {
    KURVE_CHECK(split_ != nullptr && split_->size() > 0, "a stream needs at least one pair");
    KURVE_CHECK(batchTokens_ > 0, "{} tokens a batch", batchTokens_);
    plan();
}

void BatchStream::plan() {
    RandomStream random(seed_, "data.shuffle", static_cast<std::uint64_t>(position_.epoch));
    std::vector<std::int32_t> order(split_->size());
    std::iota(order.begin(), order.end(), 0);
    random.shuffle(std::span(order));
    const auto meanTokens =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(split_->tokens() / (2 * order.size())));
    const auto pool =
        static_cast<std::size_t>(std::max<std::int64_t>(1, kBatchesInPool * batchTokens_ / meanTokens));
    const auto lengthOf = [&](std::int32_t pair) {
        const auto at = static_cast<std::size_t>(pair);
        return std::pair(longestSide(*split_, pair), split_->sourceLength(at) + split_->targetLength(at));
    };
    batches_.clear();
    for (std::size_t from = 0; from < order.size(); from += pool) {
        const std::span part = std::span(order).subspan(from, std::min(pool, order.size() - from));
        std::stable_sort(part.begin(), part.end(), [&](auto a, auto b) { return lengthOf(a) < lengthOf(b); });
        splitBatches(*split_, part, batchTokens_, batches_);
    }
    random.shuffle(std::span(batches_));
}

Batch BatchStream::next() {
    if (position_.index >= batchesPerEpoch()) {
        position_ = {position_.epoch + 1, 0};
        plan();
    }
    Batch batch = makeBatch(*split_, batches_[static_cast<std::size_t>(position_.index)]);
    batch.epoch = position_.epoch;
    batch.index = position_.index++;
    return batch;
}

void BatchStream::seek(Position position) {
    KURVE_CHECK(position.epoch >= 0 && position.index >= 0, "batch {} of epoch {}", position.index,
                position.epoch);
    const bool otherEpoch = position.epoch != position_.epoch;
    position_ = position;
    if (otherEpoch) plan();
    KURVE_CHECK(position.index <= batchesPerEpoch(), "batch {} of {}", position.index, batchesPerEpoch());
}

std::int64_t BatchStream::batchesPerEpoch() const {
    return static_cast<std::int64_t>(batches_.size());
}

std::int64_t BatchStream::examplesBefore() const {
    auto examples = position_.epoch * static_cast<std::int64_t>(split_->size());
    for (std::size_t i = 0; i < static_cast<std::size_t>(position_.index); ++i)
        examples += static_cast<std::int64_t>(batches_[i].size());
    return examples;
}

double BatchStream::epochs() const {
    const auto part = static_cast<double>(position_.index) /
                      static_cast<double>(std::max<std::int64_t>(1, batchesPerEpoch()));
    return static_cast<double>(position_.epoch) + part;
}

}  // namespace kurve::text
