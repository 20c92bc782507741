#include "views/curve/curve_model.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/synthetic_trace.h"

namespace kurve::views {
namespace {

std::shared_ptr<const CurveModel> modelOf(trace::Trace trace) {
    auto model = CurveModel::create(std::make_shared<trace::Trace>(std::move(trace)));
    if (!model) throw std::runtime_error(model.error().text());
    return *model;
}

/// Three control points in the plane at right angles, degree 2, three words at u = 0, 1/2, 1.
trace::Trace corner() {
    trace::Trace t;
    t.steps = 2;
    t.slots = 3;
    t.tokens = {7, 8, 9, 7, 9, 9};
    t.state.assign(6, 2);
    t.blocks["curve"] = {{2, 3, 2}, {0, 0, 1, 1, 2, 0, 0, 0, 1, 2, 2, 0}, false};
    t.blocks["psi"] = {{3, 3}, {1, 0, 0, .25F, .5F, .25F, 0, 0, 1}, false};
    t.blocks["index"] = {{3}, {0, .5F, 1}, false};
    t.blocks["greville"] = {{3}, {0, .5F, 1}, false};
    t.blocks["vocab/latent"] = {{3, 2}, {0, 0, 1, .4F, 2, 0}, false};
    t.blocks["vocab/ids"] = {{3}, {7, 8, 9}, false};
    return t;
}

float distance(PlanePoint a, PlanePoint b) {
    return std::hypot(a.x - b.x, a.y - b.y);
}

TEST(CurveModel, ReadsDegreeAndKnotsOffTheMap) {
    for (const int degree : {1, 2, 3, 5})
        for (const auto knots : {curve::Knots::Clamped, curve::Knots::Unclamped}) {
            const curve::SplineShape shape{21, 40, degree, 0.01, knots, 0};
            const auto found = splineOf(curve::psi(shape), 0.01);
            ASSERT_TRUE(found) << degree;
            EXPECT_EQ(found->degree, degree);
            if (degree > 1) EXPECT_EQ(found->knots, knots);  // straight pieces are the same either way
        }
}

TEST(CurveModel, MapThatIsNoSplineIsSaidToBeNone) {
    curve::Matrix repeat(4, 8);
    for (int j = 0; j < 8; ++j) repeat.at(j / 2, j) = 0.5;
    EXPECT_FALSE(splineOf(repeat, 0.01));
    trace::Trace t = corner();
    t.blocks["psi"].data = {1, 0, 0, .1F, .3F, .6F, 0, 0, 1};
    EXPECT_EQ(modelOf(t)->kind(), CurveKind::Other);
    EXPECT_EQ(modelOf(t)->curve(0).size(), 3U);
}

TEST(CurveModel, PlaneKeepsDistancesOfFlatPoints) {
    const auto m = modelOf(corner());  // two dimensions: the plane is a rotation
    EXPECT_EQ(m->kind(), CurveKind::Spline);
    EXPECT_EQ(m->degree(), 2);
    EXPECT_NEAR(m->explained(), 1, 1e-6);
    EXPECT_NEAR(distance(m->controls(0)[0], m->controls(0)[1]), std::sqrt(2.0), 1e-5);
    EXPECT_NEAR(distance(m->controls(0)[0], m->controls(0)[2]), 2, 1e-5);
    // The middle word stands at (1, 1/2) of the first step: half way up to the middle control point.
    EXPECT_NEAR(distance(m->wordPoints(0)[1], m->controls(0)[1]), 0.5, 1e-5);
    EXPECT_EQ(m->curve(0).size(), 256U);
    EXPECT_NEAR(distance(m->curve(0).front(), m->wordPoints(0)[0]), 0, 1e-5);
    EXPECT_NEAR(distance(m->curve(0).back(), m->wordPoints(0)[2]), 0, 1e-5);
}

TEST(CurveModel, NumbersOfAParabola) {
    const auto m = modelOf(corner());
    const CurveNumbers& n = m->numbers();
    // Arc of (2u, 2u(1-u)): sqrt(2) + asinh(1) long, its polygon 2 sqrt(2).
    EXPECT_NEAR(n.lengthRatio[0], 2 * std::sqrt(2.0) / (std::sqrt(2.0) + std::asinh(1.0)), 1e-4);
    // Words at (0,0), (1,.5), (2,0) against embeddings (0,0), (1,.4), (2,0).
    EXPECT_NEAR(n.residual[0], 0.1 / 3, 1e-4);
    EXPECT_EQ(m->nearest(0, 1), 1);
    EXPECT_EQ(m->vocabularyId(1), 8U);
    EXPECT_FLOAT_EQ(n.nearestShown[0], 1);
    EXPECT_FLOAT_EQ(n.nearestFinal[0], 2.0F / 3);
    EXPECT_TRUE(std::isnan(n.movement[0]));
    EXPECT_NEAR(n.movement[1], std::sqrt(1.0 / 3), 1e-5);  // one of three points moved by 1
}

TEST(CurveModel, BasisFunctionsSumToOneAndVanishOutsideTheirSupport) {
    const auto m = modelOf(test::syntheticTrace({.words = 20, .steps = 3}));
    ASSERT_EQ(m->kind(), CurveKind::Spline);
    for (const float u : {0.13F, 0.5F, 0.77F}) {
        double sum = 0;
        for (int j = 0; j < m->controlPoints(); ++j) {
            const PlanePoints& f = m->basisFunction(j);
            for (std::size_t i = 1; i < f.size(); ++i)
                if (f[i - 1].x <= u && u < f[i].x)
                    sum += f[i - 1].y + (f[i].y - f[i - 1].y) * (u - f[i - 1].x) / (f[i].x - f[i - 1].x);
        }
        EXPECT_NEAR(sum, 1, 0.02) << u;
    }
    EXPECT_LT(m->basisFunction(5).back().x, 0.5F);
}

TEST(CurveModel, WordsOnTheCurveAreThoseOfTheTrace) {
    const trace::Trace t = test::syntheticTrace({.words = 12, .steps = 4});
    const auto m = modelOf(t);
    EXPECT_EQ(m->controlPoints(), 24);
    EXPECT_EQ(m->degree(), 2);
    // rho = 2: the curve goes through the estimate exactly, so the nearest embedding is the token shown.
    for (const float share : m->numbers().nearestShown) EXPECT_GT(share, 0.95F);
    EXPECT_FLOAT_EQ(m->numbers().nearestFinal.back(), 1);
    EXPECT_LT(m->numbers().residual.back(), m->numbers().residual.front());
    for (const float ratio : m->numbers().lengthRatio) EXPECT_GE(ratio, 1);
}

TEST(CurveModel, WithoutCurveWordsAreTheirOwnControlPoints) {
    const auto m = modelOf(test::syntheticTrace({.words = 9, .steps = 3, .curve = false}));
    EXPECT_EQ(m->kind(), CurveKind::WordsOnly);
    EXPECT_EQ(m->controlPoints(), 9);
    EXPECT_EQ(m->psi(4, 4), 1);
    EXPECT_EQ(m->psi(4, 5), 0);
    EXPECT_TRUE(std::isnan(m->numbers().lengthRatio[0]));
    EXPECT_NE(m->description().find("no curve"), std::string::npos);
}

TEST(CurveModel, TokensOnlyAndLiesAreErrors) {
    trace::Trace tokens = corner();
    tokens.blocks.clear();
    auto none = CurveModel::create(std::make_shared<trace::Trace>(tokens));
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, "curve.no_latent");
    trace::Trace lie = corner();
    lie.blocks["psi"].shape = {3, 4};
    auto wrong = CurveModel::create(std::make_shared<trace::Trace>(lie));
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, "curve.shape");
    trace::Trace shortData = corner();
    shortData.blocks["curve"].data.pop_back();
    EXPECT_FALSE(CurveModel::create(std::make_shared<trace::Trace>(shortData)));
    trace::Trace noTable = corner();
    noTable.blocks.erase("vocab/latent");
    const auto m = modelOf(noTable);
    EXPECT_EQ(m->nearest(0, 0), -1);
    EXPECT_TRUE(std::isnan(m->numbers().residual[0]));
}

TEST(CurveModel, EverythingLiesInsideItsFrame) {
    const auto m = modelOf(test::syntheticTrace({.words = 15, .steps = 6}));
    for (int step = 0; step < m->steps(); ++step)
        for (const PlanePoint& p : m->curve(step)) {
            EXPECT_GE(p.x, m->low().x - 1e-4F);
            EXPECT_LE(p.y, m->high().y + 1e-4F);
        }
}

}  // namespace
}  // namespace kurve::views
