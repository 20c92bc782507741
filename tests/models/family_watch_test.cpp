// What families watch for while they train.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "models/common/length_only_watch.h"
#include "models/difformer/collapse_watch.h"
#include "models/diffusia/shrinking_watch.h"

namespace kurve::models {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A run between two states of (L_diff, NLL, std E), 40 logged points.
std::optional<std::string> watch(std::array<double, 3> from, std::array<double, 3> to) {
    difformer::CollapseWatch collapse;
    std::optional<std::string> alert;
    for (int i = 0; i <= 40; ++i) {
        const double s = i / 40.0;
        const auto at = [&](std::size_t k) { return from[k] + s * (to[k] - from[k]); };
        const auto reported =
            collapse.observe(i, {{"loss_diff", at(0)}, {"rounding_nll", at(1)}, {"embedding_std", at(2)}});
        if (reported && !alert) alert = reported;
    }
    return alert;
}

// The figures of the prototype's collapsed and healthy runs.
TEST(FamilyWatches, ACollapsedRunIsNotAHealthyOne) {
    EXPECT_TRUE(watch({1.0, 7.6, 0.12}, {0.2, 5.5, 0.08}));
    EXPECT_FALSE(watch({1.0, 7.6, 0.12}, {0.42, 1.3, 0.12}));
    EXPECT_FALSE(watch({1.0, 7.6, 0.12}, {0.3, 0.9, 0.09}));
    EXPECT_FALSE(difformer::CollapseWatch().observe(1, {{"loss", 1.0}}));
}

/// The same between two states of (relative error, std E).
bool shrinks(std::array<double, 2> from, std::array<double, 2> to) {
    diffusia::ShrinkingWatch watch;
    bool found = false;
    for (int i = 0; i <= 40; ++i) {
        const double s = i / 40.0;
        found = watch
                    .observe(i, {{"relative_error", from[0] + s * (to[0] - from[0])},
                                 {"embedding_std", from[1] + s * (to[1] - from[1])}})
                    .has_value() ||
                found;
    }
    return found;
}

TEST(FamilyWatches, EmbeddingsThatShrinkWithoutLearningAreFound) {
    EXPECT_TRUE(shrinks({1.0, 1.0}, {0.95, 0.7}));
    EXPECT_FALSE(shrinks({1.0, 1.0}, {0.28, 0.66})) << "the healthy run of the prototype";
    EXPECT_FALSE(shrinks({1.0, 1.0}, {1.0, 0.95})) << "nothing has happened yet";
    EXPECT_FALSE(diffusia::ShrinkingWatch().observe(1, {{"embedding_std", 0.1}}));
}

/// Points every 10 steps: the NLL falls from 8 within `fall` steps to `rest`, the length loss to `length`.
std::vector<std::string> train(double fall, double rest, double length, double level = 5.7) {
    LengthOnlyWatch watch("masked_nll", level);
    std::vector<std::string> all;
    for (int step = 10; step <= 1000; step += 10) {
        const double part = std::exp(-step / fall), noise = 0.05 * std::sin(step);
        const auto found = watch.observe(step, {{"masked_nll", rest + (8 - rest) * part + noise},
                                                {"loss_length", length + (5.5 - length) * part}});
        if (found) all.push_back(*found);
    }
    return all;
}

TEST(FamilyWatches, OnlyLengthsLearnedIsFound) {
    const auto found = train(60, 5.65, 1.5);
    ASSERT_FALSE(found.empty());
    EXPECT_THAT(found[0], HasSubstr("for 500 steps, near the unigram entropy (5.70)"));
    EXPECT_THAT(found[0], HasSubstr("loss.length_weight"));
    EXPECT_THAT(train(60, 4.9, 1.5), IsEmpty()) << "words are learned";
    EXPECT_THAT(train(200, 0.5, 1.5), IsEmpty()) << "passes the level";
    EXPECT_THAT(train(60, 7.2, 1.5), IsEmpty()) << "not even frequencies: something else is wrong";
    EXPECT_THAT(train(60, 5.65, 5.4), IsEmpty()) << "the length is not learned either";
    LengthOnlyWatch other("nll", 5.7);
    for (int step = 1; step < 999; ++step)
        EXPECT_FALSE(other.observe(step, {{"masked_nll", 5.7}, {"loss_length", 5.0 / step}}));
}

}  // namespace
}  // namespace kurve::models
