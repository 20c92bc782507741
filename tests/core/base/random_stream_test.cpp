#include "core/base/random_stream.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace kurve {
namespace {

// Published known-answer vectors of Philox4x32-10 (Random123 1.09, kat_vectors).
TEST(Philox, KnownAnswers) {
    struct Case {
        PhiloxBlock counter;
        std::uint32_t key[2];
        PhiloxBlock want;
    };
    const Case cases[] = {
        {{{0, 0, 0, 0}}, {0, 0}, {{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}}},
        {{{~0u, ~0u, ~0u, ~0u}}, {~0u, ~0u}, {{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}}},
        {{{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}},
         {0xa4093822, 0x299f31d0},
         {{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}}},
    };
    for (const Case& c : cases) {
        const PhiloxBlock got = philox4x32(c.counter, c.key[0], c.key[1]);
        for (int i = 0; i < 4; ++i) EXPECT_EQ(got.word[i], c.want.word[i]);
    }
}

TEST(RandomStream, SeekReproducesAndPurposesDiffer) {
    RandomStream a(7, "train.noise", 3);
    std::vector<std::uint32_t> words;
    for (int i = 0; i < 11; ++i) words.push_back(a.bits());
    a.seek(5);
    EXPECT_EQ(a.bits(), words[5]);
    EXPECT_EQ(a.bits(), words[6]);
    EXPECT_NE(RandomStream(7, "train.time", 3).bits(), words[0]);
    EXPECT_NE(RandomStream(8, "train.noise", 3).bits(), words[0]);
    EXPECT_NE(RandomStream(7, "train.noise", 4).bits(), words[0]);
}

TEST(RandomStream, MomentsOfUniformAndNormal) {
    RandomStream random(1, "moments");
    double sum = 0, sumOfSquares = 0, uniformSum = 0;
    constexpr int kDraws = 200000;
    for (int i = 0; i < kDraws; ++i) {
        const double x = random.normal();
        sum += x;
        sumOfSquares += x * x;
        uniformSum += random.uniform();
    }
    EXPECT_NEAR(sum / kDraws, 0, 0.01);
    EXPECT_NEAR(sumOfSquares / kDraws, 1, 0.02);
    EXPECT_NEAR(uniformSum / kDraws, 0.5, 0.005);
}

TEST(RandomStream, BelowCoversItsRangeEvenly) {
    RandomStream random(1, "below");
    std::vector<int> count(7);
    for (int i = 0; i < 70000; ++i) ++count[random.below(7)];
    for (const int n : count) EXPECT_NEAR(n, 10000, 500);
}

}  // namespace
}  // namespace kurve
