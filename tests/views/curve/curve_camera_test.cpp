#include "views/curve/curve_camera.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_trace.h"

namespace kurve::views {
namespace {

class CurveCameraTest : public testing::Test {
protected:
    CurveCameraTest() {
        CurveRequest request;
        request.trace = std::make_shared<trace::Trace>(test::syntheticTrace({.words = 10, .steps = 4}));
        model_ = *CurveModel::create(request);
        camera_.fit(*model_, {300, 200});
    }
    [[nodiscard]] CurveSight sight(CurveAxes axes, bool layers = false) const {
        return camera_.sight(axes, {10, 20, 300, 200}, *model_, layers);
    }
    std::shared_ptr<const CurveModel> model_;
    CurveCamera camera_;
};

TEST_F(CurveCameraTest, PlanesShowTheirTwoAxes) {
    const SpacePoint p{1, 2, 3}, q{2, 4, 7};
    const auto way = [&](CurveAxes axes) {
        const CurveSight s = sight(axes);
        const ImVec2 a = s.at(p, 0), b = s.at(q, 0);
        return std::pair((b.x - a.x) / s.scale, (a.y - b.y) / s.scale);
    };
    EXPECT_NEAR(way(CurveAxes::First12).first, 1, 1e-4);
    EXPECT_NEAR(way(CurveAxes::First12).second, 2, 1e-4);
    EXPECT_NEAR(way(CurveAxes::First13).second, 4, 1e-4);
    EXPECT_NEAR(way(CurveAxes::Second23).first, 2, 1e-4);
    EXPECT_NEAR(way(CurveAxes::Second23).second, 4, 1e-4);
}

TEST_F(CurveCameraTest, WhatWasNotMovedByHandFillsAPlotThatGrows) {
    const float small = sight(CurveAxes::First12).scale;
    camera_.fit(*model_, {600, 400});
    EXPECT_NEAR(sight(CurveAxes::First12).scale, 2 * small, 1e-3);
    camera_.zoom(sight(CurveAxes::First12), {10, 10}, 3);
    camera_.fit(*model_, {300, 200});
    EXPECT_NEAR(sight(CurveAxes::First12).scale, 6 * small, 1e-2) << "where one looks stays";
    camera_.forget();
    camera_.fit(*model_, {300, 200});
    EXPECT_NEAR(sight(CurveAxes::First12).scale, small, 1e-3);
}

TEST_F(CurveCameraTest, AMoveInTheViewIsThatManyPixels) {
    camera_.turn(0.7F, -0.4F);
    for (const CurveAxes axes : {CurveAxes::First12, CurveAxes::First13, CurveAxes::Space}) {
        const CurveSight s = sight(axes);
        const SpacePoint by = s.along({30, -12}), p{1, 2, 3};
        const ImVec2 a = s.at(p, 0), b = s.at({p.x + by.x, p.y + by.y, p.z + by.z}, 0);
        EXPECT_NEAR(b.x - a.x, 30, 1e-2);
        EXPECT_NEAR(b.y - a.y, -12, 1e-2);
    }
}

TEST_F(CurveCameraTest, TheTurntableIsOrthographicAndComesBack) {
    const CurveSight first = sight(CurveAxes::Space);
    camera_.turn(1.1F, 0.6F);
    const CurveSight s = sight(CurveAxes::Space);
    const auto dot = [](SpacePoint a, SpacePoint b) { return a.x * b.x + a.y * b.y + a.z * b.z; };
    EXPECT_NEAR(dot(s.right, s.right), 1, 1e-5);
    EXPECT_NEAR(dot(s.up, s.up), 1, 1e-5);
    EXPECT_NEAR(dot(s.right, s.up), 0, 1e-5);
    EXPECT_EQ(s.right.y, 0);  // the second axis stays upright
    camera_.resetTurn();
    EXPECT_FLOAT_EQ(sight(CurveAxes::Space).right.x, first.right.x);
    EXPECT_FLOAT_EQ(sight(CurveAxes::Space).up.z, first.up.z);
}

TEST_F(CurveCameraTest, ZoomKeepsThePointUnderThePointer) {
    const CurveSight before = sight(CurveAxes::First12);
    const ImVec2 pointer{70, 60};
    const SpacePoint off = before.along({pointer.x - before.origin.x, pointer.y - before.origin.y});
    const SpacePoint under{before.centre.x + off.x, before.centre.y + off.y, before.centre.z + off.z};
    camera_.zoom(before, pointer, 3);
    const CurveSight after = sight(CurveAxes::First12);
    EXPECT_FLOAT_EQ(after.scale, 3 * before.scale);
    EXPECT_NEAR(after.at(under, 0).x, pointer.x, 0.01);
    EXPECT_NEAR(after.at(under, 0).y, pointer.y, 0.01);
}

TEST_F(CurveCameraTest, StepsStandAboveEachOther) {
    const CurveSight s = sight(CurveAxes::Space, true);
    const SpacePoint p{1, 2, 3}, elsewhere{1, 2, -9};
    EXPECT_FLOAT_EQ(s.at(p, 1).x, s.at(elsewhere, 1).x);  // the third direction does not show
    EXPECT_NE(s.at(p, 0).x, s.at(p, 3).x);
    EXPECT_FALSE(sight(CurveAxes::First12, true).layers);
}

}  // namespace
}  // namespace kurve::views
