#include "core/trace/marks.h"

#include <gtest/gtest.h>

#include "tests/support/temporary_folder.h"

namespace kurve::trace {
namespace {

constexpr auto kMasked = static_cast<std::uint8_t>(TokenState::Masked);
constexpr auto kNew = static_cast<std::uint8_t>(TokenState::New);
constexpr auto kKept = static_cast<std::uint8_t>(TokenState::Kept);
constexpr auto kRemask = static_cast<std::uint8_t>(TokenState::Remask);

/// 3 steps x 2 positions: the first is new, masked again, new; the second stays.
Trace masked() {
    Trace t;
    t.steps = 3;
    t.positions = 2;
    t.tokens.assign(6, 7);
    t.state = {kNew, kMasked, kRemask, kNew, kNew, kKept};
    for (auto* values : {&t.confidence, &t.entropy, &t.margin}) values->assign(6, 0);
    t.topIds.assign(6 * kTopCandidates, 7);
    t.topProbability.assign(6 * kTopCandidates, 0);
    t.t = {1, .5, 0};
    t.logSnr = {0, 0, 0};
    return t;
}

TEST(TokenMarks, WhatIsMaskedByTheNextStepShowsInItsState) {
    const Trace t = masked();
    const TokenMarks marks(t);
    EXPECT_TRUE(marks.willMask(0, 0));
    EXPECT_FALSE(marks.willMask(0, 1));
    EXPECT_FALSE(marks.willMask(1, 0)) << "it is masked already";
    EXPECT_FALSE(marks.willMask(2, 0)) << "there is no next step";
    EXPECT_TRUE(marks.anyWillMask());
    EXPECT_FALSE(marks.anyCommitted());
}

TEST(TokenMarks, KnowsWhichPositionsAreMaskedInTheInput) {
    Trace t = masked();
    using S = TokenState;
    const auto found = [&](S state) {
        t.state[t.cell(1, 0)] = static_cast<std::uint8_t>(state);
        return foundMasked(t, 1, 0);
    };
    for (const S state : {S::Masked, S::Remask, S::Pad}) EXPECT_TRUE(found(state));
    for (const S state : {S::Given, S::Kept, S::Flip, S::New}) EXPECT_FALSE(found(state));
    t.blocks["found_masked"] = {{3, 2}, {0, 0, 1, 0, 0, 0}, true};
    for (const S state : {S::New, S::Kept, S::Pad}) EXPECT_TRUE(found(state)) << "as declared";
    t.blocks["found_masked"].data[2] = 0;
    EXPECT_FALSE(found(S::Remask)) << "masked at the end of the step only";
    EXPECT_TRUE(found(S::Pad));
}

TEST(TokenMarks, DeclaredOnesOutliveTheFile) {
    const testing::TemporaryFolder folder;
    Trace t = masked();
    t.blocks["will_mask"] = {{3, 2}, {0, 0, 0, 1, 0, 0}, true};
    t.blocks["committed"] = {{3, 2}, {0, 0, 0, 1, 0, 1}, true};
    ASSERT_TRUE(writeTrace(folder.path() / "t.safetensors", t));
    const auto read = readTrace(folder.path() / "t.safetensors");
    ASSERT_TRUE(read);
    const TokenMarks marks(*read);
    EXPECT_TRUE(marks.willMask(1, 1)) << "though the next step keeps it";
    EXPECT_TRUE(marks.committed(1, 1));
    EXPECT_FALSE(marks.committed(1, 0));
    EXPECT_TRUE(marks.anyCommitted());
}

TEST(TokenMarks, BlocksOfAnotherShapeDeclareNothing) {
    Trace t = masked();
    t.blocks["committed"] = {{2, 3}, {1, 1, 1, 1, 1, 1}, true};
    EXPECT_FALSE(TokenMarks(t).anyCommitted());
}

}  // namespace
}  // namespace kurve::trace
