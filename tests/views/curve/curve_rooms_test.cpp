#include "views/curve/curve_rooms.h"

#include <gtest/gtest.h>

#include <vector>

namespace kurve::views {
namespace {

constexpr float kEm = 14;

bool apart(const Box& a, const Box& b) {
    return a.right() <= b.x || b.right() <= a.x || a.bottom() <= b.y || b.bottom() <= a.y;
}

TEST(CurveRooms, LowAndWideThePlotHasTheWholeHeightAndTheBasisFunctionsStandBesideIt) {
    const CurveRooms rooms = roomsOfCurve({930, 235}, kEm, {});
    ASSERT_TRUE(rooms.strip);
    EXPECT_GE(rooms.strips[0].x, rooms.plot.right());
    EXPECT_GT(rooms.plot.h, 0.75F * 235);
    EXPECT_GT(rooms.plot.w, 1.2F * rooms.plot.h);
}

TEST(CurveRooms, ElsewhereTheBasisFunctionsStandUnderWhatTheyBelongTo) {
    const auto below = [](ImVec2 size, CurveWants wants) {
        const CurveRooms rooms = roomsOfCurve(size, kEm, wants);
        return rooms.strip && rooms.strips[0].y >= rooms.plot.bottom() && rooms.strips[0].x == rooms.plot.x;
    };
    EXPECT_TRUE(below({930, 600}, {})) << "high";
    EXPECT_TRUE(below({420, 235}, {})) << "narrow";
    EXPECT_TRUE(below({930, 235}, {2, true, true})) << "two recordings, each over its own";
    EXPECT_TRUE(below({930, 235}, {1, true, false})) << "a row of three planes needs the width";
}

TEST(CurveRooms, PartsNeverOverlapNorLeaveTheWidget) {
    for (float w = 240; w <= 2400; w += 90)
        for (float h = 120; h <= 1500; h += 45)
            for (const CurveWants wants :
                 {CurveWants{}, {2, true, true}, {1, true, false}, {1, false, true}}) {
                const CurveRooms rooms = roomsOfCurve({w, h}, kEm, wants);
                std::vector<Box> parts{rooms.plot};
                if (rooms.numbersShown) parts.push_back(rooms.numbers);
                for (std::size_t i = 0; rooms.strip && i < static_cast<std::size_t>(wants.sides); ++i)
                    parts.push_back(rooms.strips.at(i));
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
