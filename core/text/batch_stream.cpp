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

/// The rows of an example, and its longest side or sentence.
struct Extent {
    std::int64_t rows = 1, longest = 0;
};

Extent extentOf(const Split& split, std::int32_t example) {
    const auto at = static_cast<std::size_t>(example);
    if (!split.hasDocuments())
        return {1, static_cast<std::int64_t>(std::max(split.sourceLength(at), split.targetLength(at)))};
    std::size_t longest = 0;
    for (std::size_t s = 0; s < split.sentences(at); ++s)
        longest = std::max(longest, split.sentenceLength(at, s));
    return {static_cast<std::int64_t>(split.sentences(at)), static_cast<std::int64_t>(longest)};
}

/// Splits pairs, in their order, into batches of rows x longest side <= limit.
void splitBatches(const Split& split, std::span<const std::int32_t> pairs, std::int64_t limit,
                  std::vector<std::vector<std::int32_t>>& out) {
    std::vector<std::int32_t> examples;
    Extent sum{0, 0};
    for (const std::int32_t pair : pairs) {
        const Extent one = extentOf(split, pair);
        if (!examples.empty() && std::max(sum.longest, one.longest) * (sum.rows + one.rows) > limit) {
            out.push_back(std::move(examples));
            examples.clear();
            sum = {0, 0};
        }
        examples.push_back(pair);
        sum = {sum.rows + one.rows, std::max(sum.longest, one.longest)};
    }
    if (!examples.empty()) out.push_back(std::move(examples));
}

void fillSide(std::span<const std::int32_t> ids, std::size_t row, std::size_t width,
              std::vector<std::int32_t>& out) {
    std::copy(ids.begin(), ids.end(), out.begin() + static_cast<std::ptrdiff_t>(row * width));
}

/// Every sentence is a row without a source.
Batch documentBatch(const Split& split, std::span<const std::int32_t> documents) {
    Batch batch;
    for (const std::int32_t document : documents) {
        const auto at = static_cast<std::size_t>(document);
        batch.sentences.push_back(static_cast<std::int32_t>(split.sentences(at)));
        batch.promptSentences.push_back(static_cast<std::int32_t>(split.promptSentences(at)));
        for (std::size_t s = 0; s < split.sentences(at); ++s)
            batch.targetLengths.push_back(static_cast<std::int32_t>(split.sentenceLength(at, s)));
    }
    batch.rows = static_cast<int>(batch.targetLengths.size());
    batch.sourceLengths.assign(batch.targetLengths.size(), 0);
    for (const std::int32_t length : batch.targetLengths)
        batch.targetLength = std::max(batch.targetLength, length);
    const auto width = static_cast<std::size_t>(batch.targetLength);
    batch.target.assign(batch.targetLengths.size() * width, split.special.pad);
    std::size_t row = 0;
    for (const std::int32_t document : documents)
        for (std::size_t s = 0; s < split.sentences(static_cast<std::size_t>(document)); ++s)
            fillSide(split.sentence(static_cast<std::size_t>(document), s), row++, width, batch.target);
    return batch;
}

/// Every pair is a row.
Batch pairBatch(const Split& split, std::span<const std::int32_t> pairs) {
    Batch batch;
    batch.rows = static_cast<int>(pairs.size());
    for (const std::int32_t pair : pairs) {
        const auto at = static_cast<std::size_t>(pair);
        batch.sourceLengths.push_back(static_cast<std::int32_t>(split.sourceLength(at)));
        batch.targetLengths.push_back(static_cast<std::int32_t>(split.targetLength(at)));
        batch.sourceLength = std::max(batch.sourceLength, batch.sourceLengths.back());
        batch.targetLength = std::max(batch.targetLength, batch.targetLengths.back());
    }
    const auto sourceWidth = static_cast<std::size_t>(batch.sourceLength);
    const auto targetWidth = static_cast<std::size_t>(batch.targetLength);
    batch.source.assign(pairs.size() * sourceWidth, split.special.pad);
    batch.target.assign(pairs.size() * targetWidth, split.special.pad);
    for (std::size_t row = 0; row < pairs.size(); ++row) {
        fillSide(split.source(static_cast<std::size_t>(pairs[row])), row, sourceWidth, batch.source);
        fillSide(split.target(static_cast<std::size_t>(pairs[row])), row, targetWidth, batch.target);
    }
    return batch;
}

}  // namespace

std::int64_t Batch::targetTokens() const {
    return std::accumulate(targetLengths.begin(), targetLengths.end(), std::int64_t{0});
}

Batch makeBatch(const Split& split, std::span<const std::int32_t> pairs) {
    Batch batch = split.hasDocuments() ? documentBatch(split, pairs) : pairBatch(split, pairs);
    batch.pairs.assign(pairs.begin(), pairs.end());
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
    const std::size_t sides = split_->hasDocuments() ? 1 : 2;
    const auto meanTokens =
        std::max<std::int64_t>(1, static_cast<std::int64_t>(split_->tokens() / (sides * order.size())));
    const auto pool =
        static_cast<std::size_t>(std::max<std::int64_t>(1, kBatchesInPool * batchTokens_ / meanTokens));
    const auto lengthOf = [&](std::int32_t pair) {
        const auto at = static_cast<std::size_t>(pair);
        return std::pair(extentOf(*split_, pair).longest,
                         split_->sourceLength(at) + split_->targetLength(at));
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
