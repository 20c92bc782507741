#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/base/check.h"
#include "core/base/random_stream.h"
#include "core/text/dataset.h"
#include "core/text/trained_specials.h"

namespace kurve::text {
namespace {

/// Pairs of random lengths; the second id names the pair.
std::shared_ptr<const Split> randomSplit(std::int32_t pairs, std::uint64_t longest = 30) {
    RandomStream random(5, "test");
    std::vector<std::int32_t> ids;
    std::vector<std::uint64_t> offset{0};
    for (std::int32_t pair = 0; pair < pairs; ++pair) {
        for (int side = 0; side < 2; ++side) {
            const auto words = 1 + random.below(longest);
            ids.push_back(kBos);
            for (std::uint64_t i = 0; i < words; ++i) ids.push_back(100 + pair);
            ids.push_back(kEos);
            offset.push_back(ids.size());
        }
    }
    return std::make_shared<Split>(Split::inMemory(std::move(ids), std::move(offset)));
}

bool equal(const Batch& a, const Batch& b) {
    return a.epoch == b.epoch && a.index == b.index && a.source == b.source && a.target == b.target &&
           a.pairs == b.pairs;
}

TEST(BatchStream, AnEpochHasEveryPairOnceWithinTheTokenLimit) {
    const auto split = randomSplit(1000);
    BatchStream stream(split, 400, 7);
    for (std::int64_t epoch = 0; epoch < 3; ++epoch) {
        std::multiset<std::int32_t> seen;
        const std::int64_t batches = stream.batchesPerEpoch();
        for (std::int64_t i = 0; i < batches; ++i) {
            const Batch batch = stream.next();
            EXPECT_EQ(batch.epoch, epoch);
            EXPECT_EQ(batch.index, i);
            EXPECT_LE(batch.rows * std::max(batch.sourceLength, batch.targetLength), 400);
            seen.insert(batch.pairs.begin(), batch.pairs.end());
        }
        EXPECT_EQ(seen.size(), 1000U);
        EXPECT_EQ(std::set<std::int32_t>(seen.begin(), seen.end()).size(), 1000U);
    }
}

TEST(BatchStream, BucketsKeepPaddingLowAndBatchesFull) {
    BatchStream stream(randomSplit(4000), 400, 7);
    std::int64_t real = 0, padded = 0;
    const std::int64_t batches = stream.batchesPerEpoch();
    for (std::int64_t i = 0; i < batches; ++i) {
        const Batch batch = stream.next();
        for (int row = 0; row < batch.rows; ++row)
            real += std::max(batch.sourceLengths[static_cast<std::size_t>(row)],
                             batch.targetLengths[static_cast<std::size_t>(row)]);
        padded += static_cast<std::int64_t>(batch.rows) * std::max(batch.sourceLength, batch.targetLength);
    }
    EXPECT_GT(static_cast<double>(real) / static_cast<double>(padded), 0.9);
    EXPECT_GT(static_cast<double>(padded) / static_cast<double>(batches), 360);
}

TEST(BatchStream, EpochsAndSeedsShuffleDifferently) {
    const auto split = randomSplit(300);
    BatchStream stream(split, 200, 7), same(split, 200, 7), other(split, 200, 8);
    const Batch first = stream.next();
    EXPECT_TRUE(equal(first, same.next()));
    EXPECT_NE(first.pairs, other.next().pairs);
    stream.seek({1, 0});
    EXPECT_NE(first.pairs, stream.next().pairs);
}

TEST(BatchStream, CountsExamplesAndEpochsByItsPosition) {
    const auto split = randomSplit(300);
    BatchStream stream(split, 200, 7);
    std::int64_t rows = 0;
    for (int i = 0; i < 3 * stream.batchesPerEpoch() / 2; ++i) {
        EXPECT_EQ(stream.examplesBefore(), rows);
        rows += stream.next().rows;
    }
    EXPECT_EQ(stream.examplesBefore(), rows);
    EXPECT_NEAR(stream.epochs(), static_cast<double>(rows) / 300, 0.15);
    BatchStream later(split, 200, 7);
    later.seek(stream.position());
    EXPECT_EQ(later.examplesBefore(), rows);
    EXPECT_EQ(later.epochs(), stream.epochs());
}

TEST(BatchStream, SeekResumesExactly) {
    const auto split = randomSplit(200);
    BatchStream stream(split, 150, 3);
    std::vector<std::pair<BatchStream::Position, Batch>> history;
    for (int i = 0; i < 150; ++i) {
        const auto position = stream.position();
        history.emplace_back(position, stream.next());
    }
    ASSERT_GE(history.back().second.epoch, 2);
    for (const std::size_t at : {149U, 0U, 77U, 76U, 120U}) {
        BatchStream fresh(split, 150, 3);
        fresh.seek(history[at].first);
        for (std::size_t i = at; i < std::min<std::size_t>(at + 40, history.size()); ++i)
            ASSERT_TRUE(equal(fresh.next(), history[i].second)) << at << " " << i;
        stream.seek(history[at].first);
        EXPECT_TRUE(equal(stream.next(), history[at].second)) << at;
    }
    EXPECT_THROW(stream.seek({0, 100000}), ContractError);
}

TEST(BatchStream, APairLongerThanABatchIsABatchOfItsOwn) {
    const auto split = randomSplit(20, 60);
    BatchStream stream(split, 10, 1);
    const std::int64_t batches = stream.batchesPerEpoch();
    int pairs = 0;
    for (std::int64_t i = 0; i < batches; ++i) pairs += stream.next().rows;
    EXPECT_EQ(pairs, 20);
}

TEST(MakeBatch, PadsOnTheRightInTheGivenOrder) {
    const Split split = Split::inMemory({0, 7, 2, 0, 8, 9, 2, 0, 5, 6, 6, 2, 0, 2}, {0, 3, 7, 12, 14});
    const std::vector<std::int32_t> order = {1, 0};
    const Batch batch = makeBatch(split, order);
    EXPECT_EQ(batch.rows, 2);
    EXPECT_THAT(batch.source, testing::ElementsAre(0, 5, 6, 6, 2, 0, 7, 2, kPad, kPad));
    EXPECT_THAT(batch.target, testing::ElementsAre(0, 2, kPad, kPad, 0, 8, 9, 2));
    EXPECT_THAT(batch.sourceLengths, testing::ElementsAre(5, 3));
    EXPECT_THAT(batch.targetLengths, testing::ElementsAre(2, 4));
    EXPECT_EQ(batch.targetTokens(), 6);
    EXPECT_THROW((void)split.source(2), ContractError);
}

}  // namespace
}  // namespace kurve::text
