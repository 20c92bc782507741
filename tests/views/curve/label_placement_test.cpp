#include "views/curve/label_placement.h"

#include <gtest/gtest.h>

#include <random>

namespace kurve::views {
namespace {

TEST(LabelPlacement, NoTwoOverlapAndAllStayInside) {
    std::mt19937 random(3);
    std::uniform_real_distribution<float> x(0, 400), y(0, 300), w(10, 80);
    std::vector<LabelCandidate> requests;
    for (int i = 0; i < 120; ++i) requests.push_back({{x(random), y(random)}, {w(random), 14}, 4, i % 3});
    const Box bounds{0, 0, 400, 300};
    const auto placed = placeLabels(requests, bounds);
    int count = 0;
    for (std::size_t i = 0; i < placed.size(); ++i) {
        if (!placed[i]) continue;
        ++count;
        EXPECT_GE(placed[i]->x, 0);
        EXPECT_LE(placed[i]->x + requests[i].size.x, 400);
        EXPECT_LE(placed[i]->y + 14, 300);
        for (std::size_t k = 0; k < i; ++k)
            if (placed[k])
                EXPECT_FALSE(placed[i]->x < placed[k]->x + requests[k].size.x &&
                             placed[k]->x < placed[i]->x + requests[i].size.x &&
                             placed[i]->y < placed[k]->y + 14 && placed[k]->y < placed[i]->y + 14);
    }
    EXPECT_GT(count, 40);
}

TEST(LabelPlacement, PriorityWinsTheOnlyPosition) {
    const Box bounds{0, 0, 60, 16};
    const auto placed = placeLabels({{{5, 8}, {50, 14}, 4, 0}, {{5, 8}, {50, 14}, 4, 9}}, bounds);
    EXPECT_FALSE(placed[0]);
    EXPECT_TRUE(placed[1]);
}

TEST(LabelPlacement, AvoidsOccupiedBoxes) {
    const Box note{52, 40, 48, 20};
    const auto placed = placeLabels({{{50, 50}, {20, 10}, 4, 0}}, {0, 0, 100, 100}, {note});
    ASSERT_TRUE(placed[0]);
    EXPECT_EQ(placed[0]->x, 26) << "left, as the right side is occupied";
}

TEST(LabelPlacement, PrefersTheRightSide) {
    const auto placed = placeLabels({{{50, 50}, {20, 10}, 4, 0}}, {0, 0, 100, 100});
    EXPECT_EQ(placed[0]->x, 54);
    EXPECT_EQ(placed[0]->y, 45);
}

}  // namespace
}  // namespace kurve::views
