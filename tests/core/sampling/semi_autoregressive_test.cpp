#include "core/sampling/semi_autoregressive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "core/base/check.h"
#include "core/sampling/unmasking.h"

namespace kurve::sampling {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(PositionBlocks, TheLastMayBeShorter) {
    EXPECT_THAT(positionBlocks(10, 4),
                ElementsAre(PositionBlock{0, 4}, PositionBlock{4, 8}, PositionBlock{8, 10}));
    EXPECT_THAT(positionBlocks(4, 4), ElementsAre(PositionBlock{0, 4}));
    EXPECT_THAT(positionBlocks(3, std::numeric_limits<int>::max()), ElementsAre(PositionBlock{0, 3}));
    EXPECT_THAT(positionBlocks(0, 4), IsEmpty());
    EXPECT_THROW((void)positionBlocks(4, 0), ContractError);
}

TEST(BlockSteps, OneAfterTheOther) {
    EXPECT_EQ(blockStep(3, 0, 6), (BlockStep{0, 0, 2}));
    EXPECT_EQ(blockStep(3, 1, 6), (BlockStep{0, 1, 2}));
    EXPECT_EQ(blockStep(3, 5, 6), (BlockStep{2, 1, 2}));
    for (int steps = 1; steps <= 40; ++steps)
        for (int blocks = 1; blocks <= steps; ++blocks) {
            BlockStep before{-1, 0, 1};  // as if a block of one step had just ended
            for (int step = 0; step < steps; ++step) {
                const BlockStep now = blockStep(blocks, step, steps);
                const bool same = before.step + 1 < before.steps;
                EXPECT_EQ(now.block, before.block + (same ? 0 : 1));
                EXPECT_EQ(now.step, same ? before.step + 1 : 0);
                EXPECT_TRUE(now.steps == steps / blocks || now.steps == (steps + blocks - 1) / blocks);
                if (same) {
                    EXPECT_EQ(now.steps, before.steps);
                }
                before = now;
            }
            EXPECT_EQ(before, (BlockStep{blocks - 1, before.steps - 1, before.steps}));
        }
    EXPECT_THROW((void)blockStep(4, 0, 3), ContractError);
    EXPECT_THROW((void)blockStep(2, 4, 4), ContractError);
}

TEST(BlockSteps, EveryPositionIsUnmasked) {
    for (const int size : {1, 3, 4, 7, 10})
        for (const int steps : {10, 13, 32}) {
            const std::vector<PositionBlock> blocks = positionBlocks(10, size);
            std::vector<int> left;
            for (const auto& [begin, end] : blocks) left.push_back(end - begin);
            for (int step = 0; step < steps; ++step) {
                const BlockStep now = blockStep(static_cast<int>(blocks.size()), step, steps);
                int& masked = left[static_cast<std::size_t>(now.block)];
                masked -= evenBudget(masked, now.step, now.steps);
            }
            EXPECT_THAT(left, ::testing::Each(0));
        }
}

TEST(StridedLength, ClosedForm) {
    EXPECT_EQ(stridedLength(1024, 0, 512), 1024);
    EXPECT_EQ(stridedLength(1024, 3, 512), 2560);
    EXPECT_THROW((void)stridedLength(8, 1, 9), ContractError);
}

}  // namespace
}  // namespace kurve::sampling
