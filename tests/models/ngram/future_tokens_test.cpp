#include "models/ngram/future_tokens.h"

#include <gtest/gtest.h>

namespace kurve::models::ngram {
namespace {

using Numbers = std::vector<std::int64_t>;

// Rows <s> a b </s> and <s> </s>, padded to 4: states at <s>, a, b and at the other <s>.
TEST(FutureTokens, AreThoseThatExist) {
    const std::vector<std::int32_t> lengths{4, 2};
    const FutureTokens all = futureTokens(lengths, 4, 3);
    EXPECT_EQ(all.states, (Numbers{0, 1, 2, 3}));
    EXPECT_EQ(all.count, (Numbers{4, 2, 1}));
    EXPECT_EQ(all.target, (Numbers{1, 2, 3, 5, 2, 3, 3}));
    EXPECT_EQ(all.prediction, (Numbers{0, 1, 2, 3, 4, 5, 8}));
    EXPECT_EQ(all.row, (Numbers{0, 0, 0, 1, 0, 0, 0}));
}

TEST(FutureTokens, OfATextAloneThereAreNone) {
    const std::vector<std::int32_t> lengths{1};
    const FutureTokens none = futureTokens(lengths, 3, 2);
    EXPECT_TRUE(none.states.empty() && none.target.empty());
    EXPECT_EQ(none.count, (Numbers{0, 0}));
}

}  // namespace
}  // namespace kurve::models::ngram
