#include "views/curve/curve_view_layout.h"

#include <gtest/gtest.h>

#include <vector>

namespace kurve::views {
namespace {

constexpr float kEm = 14;

bool apart(const Box& a, const Box& b) {
    return a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
}

TEST(CurveViewLayout, InALowAndWideWidgetTheBasisFunctionsAreBesideThePlot) {
    const CurveViewLayout layout = layoutOfCurve({930, 235}, kEm, {});
    ASSERT_TRUE(layout.strip);
    EXPECT_GE(layout.strips[0].x, layout.plot.right());
    EXPECT_GT(layout.plot.h, 0.75F * 235);
    EXPECT_GT(layout.plot.w, 1.2F * layout.plot.h);
}

TEST(CurveViewLayout, ElsewhereTheBasisFunctionsAreBelowThePlot) {
    const auto below = [](ImVec2 size, CurveLayoutRequest request) {
        const CurveViewLayout layout = layoutOfCurve(size, kEm, request);
        return layout.strip && layout.strips[0].y >= layout.plot.bottom() &&
               layout.strips[0].x == layout.plot.x;
    };
    EXPECT_TRUE(below({930, 600}, {})) << "high";
    EXPECT_TRUE(below({420, 235}, {})) << "narrow";
    EXPECT_TRUE(below({930, 235}, {2, true, true})) << "two traces";
    EXPECT_TRUE(below({930, 235}, {1, true, false})) << "a row of three planes needs the width";
}

TEST(CurveViewLayout, ThreePlanesHaveTheRowsInWhichTheyAreLargest) {
    const auto shorter = [](float w, float h, int sides) {
        const Box area{10, 20, w, h};
        const auto boxes = boxesOfPlots(area, sides, 3, 8, 16);
        EXPECT_EQ(boxes.size(), 3u * static_cast<std::size_t>(sides));
        for (std::size_t i = 0; i < boxes.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) EXPECT_TRUE(apart(boxes[i], boxes[k]));
            EXPECT_LE(boxes[i].right(), area.right() + 1);
            EXPECT_LE(boxes[i].bottom() + 16, area.bottom() + 1) << "room for the warning below";
        }
        return std::min(boxes[0].w, boxes[0].h);
    };
    EXPECT_GT(shorter(1200, 380, 1), 350) << "a row";
    EXPECT_GT(shorter(620, 460, 1), 200) << "two above one";
    EXPECT_GT(shorter(300, 900, 1), 270) << "a column";
    EXPECT_GT(shorter(1200, 700, 2), 300);
    EXPECT_GT(shorter(700, 1200, 2), 340) << "each beside its partner";
}

TEST(CurveViewLayout, PartsNeverOverlapNorLeaveTheWidget) {
    for (float w = 240; w <= 2400; w += 90)
        for (float h = 120; h <= 1500; h += 45)
            for (const CurveLayoutRequest request :
                 {CurveLayoutRequest{}, {2, true, true}, {1, true, false}, {1, false, true}}) {
                const CurveViewLayout layout = layoutOfCurve({w, h}, kEm, request);
                std::vector<Box> parts{layout.plot};
                if (layout.statisticsShown) parts.push_back(layout.statistics);
                for (std::size_t i = 0; layout.strip && i < static_cast<std::size_t>(request.sides); ++i)
                    parts.push_back(layout.strips.at(i));
                for (std::size_t i = 0; i < parts.size(); ++i) {
                    EXPECT_TRUE(parts[i].x >= 0 && parts[i].right() <= w && parts[i].y >= 0 &&
                                parts[i].bottom() <= h)
                        << w << " x " << h << ", part " << i;
                    EXPECT_GT(parts[i].h, 0) << w << " x " << h << ", part " << i;
                    for (std::size_t k = 0; k < i; ++k)
                        EXPECT_TRUE(apart(parts[i], parts[k])) << w << " x " << h << ": " << k << ", " << i;
                }
            }
}

}  // namespace
}  // namespace kurve::views
