#include "views/curve/curve_camera.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_trace.h"

namespace kurve::views {
namespace {

class CurveCameraTest : public testing::Test {
protected:
    CurveCameraTest() {
        inspect::CurveRequest request;
        request.trace = std::make_shared<trace::Trace>(test::syntheticTrace({.words = 10, .steps = 4}));
        model_ = *inspect::CurveModel::create(request);
        camera_.fit(*model_, {300, 200});
    }
    [[nodiscard]] CurveProjection projection(CurveAxes axes, bool layers = false) const {
        return camera_.projection(axes, {10, 20, 300, 200}, *model_, layers);
    }
    std::shared_ptr<const inspect::CurveModel> model_;
    CurveCamera camera_;
};

TEST_F(CurveCameraTest, PlanesShowTheirTwoAxes) {
    const inspect::SpacePoint p{1, 2, 3}, q{2, 4, 7};
    const auto way = [&](CurveAxes axes) {
        const CurveProjection s = projection(axes);
        const ImVec2 a = s.at(p, 0), b = s.at(q, 0);
        return std::pair((b.x - a.x) / s.scale, (a.y - b.y) / s.scale);
    };
    EXPECT_NEAR(way(CurveAxes::First12).first, 1, 1e-4);
    EXPECT_NEAR(way(CurveAxes::First12).second, 2, 1e-4);
    EXPECT_NEAR(way(CurveAxes::First13).second, 4, 1e-4);
    EXPECT_NEAR(way(CurveAxes::Second23).first, 2, 1e-4);
    EXPECT_NEAR(way(CurveAxes::Second23).second, 4, 1e-4);
}

TEST_F(CurveCameraTest, AnUnmovedCameraFitsAGrowingPlot) {
    const float small = projection(CurveAxes::First12).scale;
    camera_.fit(*model_, {600, 400});
    EXPECT_NEAR(projection(CurveAxes::First12).scale, 2 * small, 1e-3);
    camera_.zoom(projection(CurveAxes::First12), {10, 10}, 3);
    camera_.fit(*model_, {300, 200});
    EXPECT_NEAR(projection(CurveAxes::First12).scale, 6 * small, 1e-2) << "the centre stays";
    camera_.reset();
    camera_.fit(*model_, {300, 200});
    EXPECT_NEAR(projection(CurveAxes::First12).scale, small, 1e-3);
}

TEST_F(CurveCameraTest, AMoveIsThatManyPixels) {
    camera_.rotate(0.7F, -0.4F);
    for (const CurveAxes axes : {CurveAxes::First12, CurveAxes::First13, CurveAxes::Space}) {
        const CurveProjection s = projection(axes);
        const inspect::SpacePoint by = s.along({30, -12}), p{1, 2, 3};
        const ImVec2 a = s.at(p, 0), b = s.at({p.x + by.x, p.y + by.y, p.z + by.z}, 0);
        EXPECT_NEAR(b.x - a.x, 30, 1e-2);
        EXPECT_NEAR(b.y - a.y, -12, 1e-2);
    }
}

TEST_F(CurveCameraTest, TheTurntableIsOrthographicAndCanBeReset) {
    const CurveProjection first = projection(CurveAxes::Space);
    camera_.rotate(1.1F, 0.6F);
    const CurveProjection s = projection(CurveAxes::Space);
    const auto dot = [](inspect::SpacePoint a, inspect::SpacePoint b) {
        return a.x * b.x + a.y * b.y + a.z * b.z;
    };
    EXPECT_NEAR(dot(s.right, s.right), 1, 1e-5);
    EXPECT_NEAR(dot(s.up, s.up), 1, 1e-5);
    EXPECT_NEAR(dot(s.right, s.up), 0, 1e-5);
    EXPECT_EQ(s.right.y, 0);  // the second axis stays upright
    camera_.resetRotation();
    EXPECT_FLOAT_EQ(projection(CurveAxes::Space).right.x, first.right.x);
    EXPECT_FLOAT_EQ(projection(CurveAxes::Space).up.z, first.up.z);
}

TEST_F(CurveCameraTest, ZoomKeepsThePointUnderThePointer) {
    const CurveProjection before = projection(CurveAxes::First12);
    const ImVec2 pointer{70, 60};
    const inspect::SpacePoint off = before.along({pointer.x - before.origin.x, pointer.y - before.origin.y});
    const inspect::SpacePoint under{before.centre.x + off.x, before.centre.y + off.y,
                                    before.centre.z + off.z};
    camera_.zoom(before, pointer, 3);
    const CurveProjection after = projection(CurveAxes::First12);
    EXPECT_FLOAT_EQ(after.scale, 3 * before.scale);
    EXPECT_NEAR(after.at(under, 0).x, pointer.x, 0.01);
    EXPECT_NEAR(after.at(under, 0).y, pointer.y, 0.01);
}

TEST_F(CurveCameraTest, StepsAreStackedInLayers) {
    const CurveProjection s = projection(CurveAxes::Space, true);
    const inspect::SpacePoint p{1, 2, 3}, elsewhere{1, 2, -9};
    EXPECT_FLOAT_EQ(s.at(p, 1).x, s.at(elsewhere, 1).x);  // the third direction is not shown
    EXPECT_NE(s.at(p, 0).x, s.at(p, 3).x);
    EXPECT_FALSE(projection(CurveAxes::First12, true).layers);
}

}  // namespace
}  // namespace kurve::views
