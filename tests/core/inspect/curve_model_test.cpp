#include "core/inspect/curve_model.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/support/synthetic_trace.h"

namespace kurve::inspect {
namespace {

Result<std::shared_ptr<const CurveModel>> created(trace::Trace trace, const BasisChoice& choice = {}) {
    CurveRequest request;
    request.trace = std::make_shared<trace::Trace>(std::move(trace));
    request.choice = choice;
    return CurveModel::create(request);
}

std::shared_ptr<const CurveModel> modelOf(trace::Trace trace) {
    auto model = created(std::move(trace));
    if (!model) throw std::runtime_error(model.error().text());
    return *model;
}

/// Three control points in the plane at right angles, degree 2, three words at u = 0, 1/2, 1.
trace::Trace corner() {
    trace::Trace t;
    t.steps = 2;
    t.positions = 3;
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

float distance(SpacePoint a, SpacePoint b) {
    return std::hypot(a.x - b.x, a.y - b.y, a.z - b.z);
}

TEST(CurveModel, ReadsDegreeAndKnotsOffTheMap) {
    for (const int degree : {1, 2, 3, 5})
        for (const auto knots : {curve::Knots::Clamped, curve::Knots::Unclamped}) {
            const curve::SplineShape shape{21, 40, degree, 0.01, knots, 0};
            const auto found = splineOf(curve::psi(shape), 0.01);
            ASSERT_TRUE(found) << degree;
            EXPECT_EQ(found->degree, degree);
            if (degree > 1) EXPECT_EQ(found->knots, knots);  // the same for straight segments
        }
}

TEST(CurveModel, AMapThatIsNotASplineIsOther) {
    curve::Matrix repeat(4, 8);
    for (int j = 0; j < 8; ++j) repeat.at(j / 2, j) = 0.5;
    EXPECT_FALSE(splineOf(repeat, 0.01));
    trace::Trace t = corner();
    t.blocks["psi"].data = {1, 0, 0, .1F, .3F, .6F, 0, 0, 1};
    EXPECT_EQ(modelOf(t)->kind(), CurveKind::Other);
    EXPECT_EQ(modelOf(t)->step(0).curve.size(), 3U);
}

TEST(CurveModel, PlaneKeepsDistancesOfFlatPoints) {
    const auto m = modelOf(corner());  // two dimensions: the plane is a rotation
    EXPECT_EQ(m->kind(), CurveKind::Spline);
    EXPECT_EQ(m->degree(), 2);
    EXPECT_NEAR(m->explained(), 1, 1e-6);
    EXPECT_NEAR(distance(m->step(0).controls[0], m->step(0).controls[1]), std::sqrt(2.0), 1e-5);
    EXPECT_NEAR(distance(m->step(0).controls[0], m->step(0).controls[2]), 2, 1e-5);
    // The middle position is at (1, 1/2) of the first step: half way up to the middle control point.
    EXPECT_NEAR(distance(m->step(0).words[1], m->step(0).controls[1]), 0.5, 1e-5);
    EXPECT_EQ(m->step(0).curve.size(), 256U);
    EXPECT_NEAR(distance(m->step(0).curve.front(), m->step(0).words[0]), 0, 1e-5);
    EXPECT_NEAR(distance(m->step(0).curve.back(), m->step(0).words[2]), 0, 1e-5);
}

TEST(CurveModel, StatisticsOfAParabola) {
    const auto m = modelOf(corner());
    const CurveStatistics& n = m->statistics();
    // Arc of (2u, 2u(1-u)): sqrt(2) + asinh(1) long, its polygon 2 sqrt(2).
    EXPECT_NEAR(n.lengthRatio[0], 2 * std::sqrt(2.0) / (std::sqrt(2.0) + std::asinh(1.0)), 1e-4);
    // Positions at (0,0), (1,.5), (2,0) against embeddings (0,0), (1,.4), (2,0).
    EXPECT_NEAR(n.residual[0], 0.1 / 3, 1e-4);
    EXPECT_EQ(m->nearest(0, 1), 1);
    EXPECT_EQ(m->vocabulary()->id(1), 8U);
    // The parabola's tangent turns from +45 to -45 degrees.
    EXPECT_NEAR(n.turning[0], std::acos(-1.0) / 2, 1e-4);
    EXPECT_FLOAT_EQ(n.nearestShown[0], 1);
    EXPECT_FLOAT_EQ(n.nearestTarget[0], 2.0F / 3);
    EXPECT_TRUE(std::isnan(n.movement[0]));
    EXPECT_NEAR(n.movement[1], std::sqrt(1.0 / 3), 1e-5);  // one of three points moved by 1
}

TEST(CurveModel, PaddingCountsInNoStatisticOfPositions) {
    trace::Trace t = corner();
    t.state[2] = t.state[5] = static_cast<std::uint8_t>(trace::TokenState::Pad);
    const CurveStatistics n = modelOf(t)->statistics();
    EXPECT_NEAR(n.residual[0], 0.1 / 2, 1e-4);
    EXPECT_FLOAT_EQ(n.nearestShown[0], 1);
    EXPECT_FLOAT_EQ(n.nearestTarget[0], 0.5F);
    EXPECT_NEAR(n.movement[1], std::sqrt(1.0 / 3), 1e-5) << "of the control points, which are no positions";
    for (const char* name : {"curve", "psi", "index", "greville"}) t.blocks.erase(name);
    t.blocks["latent"] = {{2, 3, 2}, {0, 0, 1, 0, 2, 0, 0, 0, 1, 1, 2, 5}, false};
    EXPECT_NEAR(modelOf(t)->statistics().movement[1], std::sqrt(1.0 / 2), 1e-5);
}

// A staircase of long and tiny legs: its turns are too close for chords.
TEST(CurveModel, TheCurvatureOfAQuadraticCurveIsThatOfItsPolygon) {
    trace::Trace t = test::syntheticTrace({.words = 12, .steps = 2});
    trace::Block& curve = t.blocks["curve"];
    const auto points = static_cast<std::size_t>(curve.shape[1]),
               dims = static_cast<std::size_t>(curve.shape[2]);
    std::fill(curve.data.begin(), curve.data.end(), 0.0F);
    for (std::size_t j = 0; j < points; ++j) {
        curve.data[j * dims] = 10.0F * static_cast<float>((j + 1) / 2);
        curve.data[j * dims + 1] = 1e-3F * static_cast<float>(j / 2);
    }
    const auto m = modelOf(t);
    ASSERT_EQ(m->degree(), 2);
    EXPECT_NEAR(m->statistics().turning[0], static_cast<double>(points - 2) * std::acos(-1.0) / 2, 0.01);
}

// Of stairs each middle span is the parabola above; there are as many spans as the drawn curve has samples.
TEST(CurveModel, TheLengthOfALongCurveIsExact) {
    trace::Trace t = test::syntheticTrace({.words = 128, .steps = 2});
    trace::Block& curve = t.blocks["curve"];
    const auto points = static_cast<std::size_t>(curve.shape[1]),
               dims = static_cast<std::size_t>(curve.shape[2]);
    std::fill(curve.data.begin(), curve.data.end(), 0.0F);
    for (std::size_t j = 0; j < points; ++j) {
        curve.data[j * dims] = static_cast<float>((j + 1) / 2);
        curve.data[j * dims + 1] = static_cast<float>(j / 2);
    }
    EXPECT_NEAR(modelOf(t)->statistics().lengthRatio[0],
                2 * std::sqrt(2.0) / (std::sqrt(2.0) + std::asinh(1.0)),
                0.003);  // its two ends differ
}

TEST(CurveModel, ComparesWithTheReferenceWhereItIsRecorded) {
    trace::Trace t = corner();
    EXPECT_FALSE(modelOf(t)->referenceKnown());
    // Nearest at step 0 are tokens 7, 8, 9; a reference of two tokens leaves the last position without a
    // target.
    t.blocks["reference/ids"] = {{2}, {7, 9}, false};
    auto m = modelOf(t);
    EXPECT_TRUE(m->referenceKnown());
    EXPECT_FLOAT_EQ(m->statistics().nearestTarget[0], 1.0F / 3);
    EXPECT_EQ(m->vocabulary()->id(m->target(1)), 9U);
    EXPECT_EQ(m->target(2), -1);
    t.blocks["reference/ids"] = {{4}, {7, 8, 9, 2}, false};  // longer than the candidate
    EXPECT_FLOAT_EQ(modelOf(t)->statistics().nearestTarget[0], 1);
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

TEST(CurveModel, PositionsOnTheCurveHaveTheTracesTokens) {
    const trace::Trace t = test::syntheticTrace({.words = 12, .steps = 4});
    const auto m = modelOf(t);
    EXPECT_EQ(m->controlPoints(), 24);
    EXPECT_EQ(m->degree(), 2);
    // rho = 2: the curve goes through the estimate exactly, so the nearest embedding is the token shown.
    for (const float fraction : m->statistics().nearestShown) EXPECT_GT(fraction, 0.95F);
    EXPECT_FLOAT_EQ(m->statistics().nearestTarget.back(), 1);
    EXPECT_LT(m->statistics().residual.back(), m->statistics().residual.front());
    for (const float ratio : m->statistics().lengthRatio) EXPECT_GE(ratio, 1);
}

TEST(CurveModel, WithoutACurveLatentsAreTheControlPoints) {
    const auto m = modelOf(test::syntheticTrace({.words = 9, .steps = 3, .curve = false}));
    EXPECT_EQ(m->kind(), CurveKind::WordsOnly);
    EXPECT_EQ(m->controlPoints(), 9);
    EXPECT_EQ(m->psi(4, 4), 1);
    EXPECT_EQ(m->psi(4, 5), 0);
    EXPECT_TRUE(std::isnan(m->statistics().lengthRatio[0]));
    EXPECT_TRUE(std::isnan(m->statistics().turning[0]));
    EXPECT_NE(m->description().find("no curve"), std::string::npos);
}

TEST(CurveModel, WhatIsNotWrittenYetTakesNoPart) {
    trace::Trace t = test::syntheticTrace({.words = 6, .steps = 3, .curve = false});
    t.tokens[2 * 6 + 5] = t.tokens[1 * 6 + 5] = t.tokens[5] = trace::kNoToken;
    const auto m = modelOf(t);
    EXPECT_FALSE(m->isWritten(2, 5));
    EXPECT_TRUE(m->isWritten(2, 4));
    EXPECT_EQ(m->step(2).curve.size(), 5U) << "the line ends with the last that is written";
    EXPECT_EQ(m->description(), "no curve: 5 latents joined by straight lines");
    trace::Block& latent = t.blocks["latent"];
    const auto width = static_cast<std::size_t>(latent.shape[2]);
    std::fill(latent.data.end() - static_cast<std::ptrdiff_t>(width), latent.data.end(), 100.0F);
    const auto other = modelOf(t);
    for (std::size_t w = 0; w < 5; ++w)
        EXPECT_LT(distance(m->step(2).words[w], other->step(2).words[w]), 1e-4) << "the axes stay";
}

TEST(CurveModel, TokensOnlyAndWrongShapesAreErrors) {
    trace::Trace tokens = corner();
    tokens.blocks.clear();
    auto none = created(tokens);
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().code, "curve.no_latent");
    trace::Trace wrongShape = corner();
    wrongShape.blocks["psi"].shape = {3, 4};
    auto wrong = created(wrongShape);
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().code, "curve.shape");
    trace::Trace shortData = corner();
    shortData.blocks["curve"].data.pop_back();
    EXPECT_FALSE(created(shortData));
    trace::Trace noTable = corner();
    noTable.blocks.erase("vocab/latent");
    const auto m = modelOf(noTable);
    EXPECT_EQ(m->nearest(0, 0), -1);
    EXPECT_TRUE(std::isnan(m->statistics().residual[0]));
}

TEST(CurveModel, TheCurveIsInsideTheBounds) {
    const auto m = modelOf(test::syntheticTrace({.words = 15, .steps = 6}));
    for (int step = 0; step < m->steps(); ++step)
        for (const SpacePoint& p : m->step(step).curve) {
            EXPECT_GE(p.x, m->low().x - 1e-4F);
            EXPECT_LE(p.y, m->high().y + 1e-4F);
        }
}

TEST(CurveModel, NonFiniteStepsHaveNoStatistics) {
    trace::Trace t = test::syntheticTrace({.words = 8, .steps = 4});
    trace::Block& curve = t.blocks["curve"];
    const auto half = static_cast<std::ptrdiff_t>(curve.data.size() / 2);
    std::fill(curve.data.begin() + half, curve.data.end() - half / 2, std::nanf(""));
    std::fill(curve.data.end() - half / 2, curve.data.end(), std::numeric_limits<float>::infinity());
    const auto m = modelOf(t);
    EXPECT_GT(m->explained(), 0) << "axes of the finite points";
    EXPECT_LT(m->low().x, m->high().x);
    EXPECT_LT(m->high().x, 1e6F);
    const CurveStatistics& n = m->statistics();
    EXPECT_GT(n.residual[0], 0);
    for (const int step : {2, 3})
        for (const auto* values :
             {&n.lengthRatio, &n.turning, &n.residual, &n.nearestShown, &n.nearestTarget, &n.movement})
            EXPECT_FALSE(std::isfinite(values->at(static_cast<std::size_t>(step)))) << step;
    EXPECT_EQ(m->nearest(3, 0), -1);
}

TEST(CurveModel, HasTheNearestTokensOfEveryPositionInOrder) {
    const auto m = modelOf(test::syntheticTrace({.words = 12, .steps = 3}));
    EXPECT_EQ(m->near(), 50);
    ASSERT_EQ(m->step(1).nearest.size(), 12U * 50U);
    const auto distanceTo = [&](int word, int at) {
        const std::vector<float> words = m->wordData(1);
        const auto row =
            m->vocabulary()->table().row(m->step(1).nearest[static_cast<std::size_t>(word * 50 + at)]);
        double sum = 0;
        for (int i = 0; i < m->dims(); ++i)
            sum += std::pow(double(words[static_cast<std::size_t>(word * m->dims() + i)]) -
                                double(row[static_cast<std::size_t>(i)]),
                            2);
        return std::sqrt(sum);
    };
    for (int at = 1; at < 50; ++at) EXPECT_LE(distanceTo(4, at - 1), distanceTo(4, at) + 1e-4);
    EXPECT_NEAR(m->step(1).residuals[4], distanceTo(4, 0), 1e-3);
    EXPECT_EQ(m->vocabulary()->id(m->target(4)), m->trace().tokens[m->trace().cell(2, 4)]);
}

TEST(CurveModel, EveryBasisIsOrthonormalWithItsExplainedVariance) {
    const trace::Trace trace = test::syntheticTrace({.words = 12, .steps = 4});
    for (const BasisKind kind : {BasisKind::Pca, BasisKind::Random, BasisKind::Tokens})
        for (const BasisReference reference :
             {BasisReference::Sentence, BasisReference::ThisStep, BasisReference::LastStep,
              BasisReference::AllSteps, BasisReference::Targets}) {
            BasisChoice choice;
            choice.kind = kind;
            choice.reference = reference;
            const auto made = created(trace, choice);
            ASSERT_TRUE(made);
            const curve::LinearBasis& basis = (*made)->basis();
            for (std::size_t a = 0; a < 3; ++a)
                for (std::size_t b = 0; b < 3; ++b) {
                    double dot = 0;
                    for (std::size_t i = 0; i < 32; ++i) dot += basis.axes[a][i] * basis.axes[b][i];
                    EXPECT_NEAR(dot, a == b ? 1 : 0, 1e-6);
                }
            EXPECT_LE((*made)->explained(), 1.0001);
            EXPECT_GT((*made)->explained(), 0);
        }
    // The principal components of a set show more of that set than any other two directions.
    BasisChoice last;
    last.reference = BasisReference::LastStep;
    BasisChoice random = last;
    random.kind = BasisKind::Random;
    EXPECT_GT((*created(trace, last))->explained(), (*created(trace, random))->explained());
}

TEST(CurveModel, DirectionsThroughTokensContainThem) {
    BasisChoice choice;
    choice.kind = BasisKind::Tokens;
    choice.words = {2, 5, 8};
    const auto m = *created(test::syntheticTrace({.words = 12, .steps = 4}), choice);
    const SpacePoints& words = m->step(3).words;
    EXPECT_NEAR(words[2].y, words[5].y, 1e-3);  // from 2 to 5 is the first axis
    EXPECT_GT(words[5].x, words[2].x);
    EXPECT_GT(words[8].y, words[2].y);
    EXPECT_NEAR(words[8].z, words[2].z, 1e-3);  // and 8 lies in the plane of the first two
    EXPECT_EQ(m->axisName(0).find("PC"), std::string::npos);
}

TEST(CurveModel, AGivenBasisShowsAnotherTraceOnTheSameAxes) {
    const auto first = modelOf(test::syntheticTrace({.words = 12, .steps = 4}));
    CurveRequest request;
    request.trace =
        std::make_shared<trace::Trace>(test::syntheticTrace({.words = 9, .steps = 3, .seed = 11}));
    request.basis = first->basis();
    const auto second = *CurveModel::create(request);
    EXPECT_EQ(second->basis().axes, first->basis().axes);
    const std::vector<float> words = second->wordData(2);
    const auto expected = first->basis().project({words.data(), 32});
    EXPECT_NEAR(second->step(2).words[0].x, expected[0], 1e-3);
    EXPECT_NEAR(second->step(2).words[0].z, expected[2], 1e-3);
}

TEST(CurveModel, AGivenBasisKeepsTheNamesOfItsAxes) {
    const BasisChoice choice{.kind = BasisKind::Tokens};
    const auto first = *created(test::syntheticTrace({.words = 12, .steps = 4}), choice);
    trace::Trace other = test::syntheticTrace({.words = 9, .steps = 3, .seed = 11});
    for (auto& [id, text] : other.tokenTexts) text = "other";
    CurveRequest request;
    request.trace = std::make_shared<trace::Trace>(std::move(other));
    request.choice = choice;
    EXPECT_EQ((*CurveModel::create(request))->axisName(0), "other → other");
    request.basis = first->basis();
    for (const int axis : {0, 1})
        EXPECT_EQ((*CurveModel::create(request))->axisName(axis), first->axisName(axis));
}

TEST(CurveModel, ABasisIsFittedOnEitherTraceOrOnBoth) {
    const auto a = test::syntheticTrace({.steps = 3}), b = test::syntheticTrace({.steps = 4, .seed = 12});
    CurveRequest request;
    request.trace = std::make_shared<trace::Trace>(a);
    request.other = std::make_shared<trace::Trace>(b);
    for (const auto reference :
         {BasisReference::Sentence, BasisReference::LastStep, BasisReference::Targets}) {
        request.choice.reference = reference;
        request.choice.of = BasisOf::B;
        const auto ofB = CurveModel::create(request);
        ASSERT_TRUE(ofB);
        const auto alone = created(b, {.reference = reference});
        for (std::size_t axis = 0; axis < 3; ++axis)
            for (std::size_t i = 0; i < (*alone)->basis().axes[axis].size(); ++i)
                EXPECT_NEAR((*ofB)->basis().axes[axis][i], (*alone)->basis().axes[axis][i], 1e-4);
    }
    request.choice.reference = BasisReference::LastStep;
    request.choice.of = BasisOf::Both;
    const auto both = CurveModel::create(request);
    std::vector<float> points = (*created(a))->wordData(2);
    const std::vector<float> ofB = (*created(b))->wordData(3);
    points.insert(points.end(), ofB.begin(), ofB.end());
    const auto truth = curve::fitPca(points, 32, 3);
    for (std::size_t i = 0; i < 32; ++i) EXPECT_NEAR((*both)->basis().axes[0][i], truth.axes[0][i], 1e-3);
    EXPECT_NEAR((*both)->explained(0), truth.explained[0], 1e-4);
}

TEST(CurveModel, LdaSeparatesTwoTraces) {
    const auto a = test::syntheticTrace({.steps = 3});
    auto b = a;
    for (float& value : b.blocks["latent"].data) value += 0.5F;  // the same cloud elsewhere
    for (float& value : b.blocks["curve"].data) value += 0.5F;
    CurveRequest request;
    request.trace = std::make_shared<trace::Trace>(a);
    request.choice = {.kind = BasisKind::Lda, .reference = BasisReference::AllSteps};
    const auto without = CurveModel::create(request);
    EXPECT_EQ((*without)->axisName(0), "PC 1") << "without a second trace";
    request.other = std::make_shared<trace::Trace>(b);
    const auto made = CurveModel::create(request);
    ASSERT_TRUE(made);
    EXPECT_EQ((*made)->axisName(0), "LDA A → B");
    request.basis = (*made)->basis();
    request.trace = request.other;
    const auto other = CurveModel::create(request);
    const auto range = [](const CurveModel& m) {
        std::pair<float, float> out{1e9F, -1e9F};
        for (const SpacePoint& p : m.step(2).words) {
            out.first = std::min(out.first, p.x);
            out.second = std::max(out.second, p.x);
        }
        return out;
    };
    // Along principal components the two clouds lie on each other; here they do not touch.
    EXPECT_LT(range(**made).second, range(**other).first);
    const auto& axes = (*made)->basis().axes;
    for (const auto& [i, j] : {std::pair(0U, 1U), std::pair(0U, 2U), std::pair(1U, 2U)}) {
        double dot = 0;
        for (std::size_t k = 0; k < axes[i].size(); ++k) dot += axes[i][k] * axes[j][k];
        EXPECT_NEAR(dot, 0, 1e-6);
    }
}

TEST(CurveModel, LdaWithoutPointsOfBothIsPca) {
    trace::Trace whole = test::syntheticTrace({.steps = 3}), bare = whole;
    bare.blocks.erase("vocab/latent");
    CurveRequest request;
    request.choice = {.kind = BasisKind::Lda, .reference = BasisReference::Targets};
    for (const auto& [a, b] : {std::pair(whole, bare), std::pair(bare, whole), std::pair(bare, bare)}) {
        request.trace = std::make_shared<trace::Trace>(a);
        request.other = std::make_shared<trace::Trace>(b);
        const auto made = CurveModel::create(request);
        ASSERT_TRUE(made) << made.error().text();
        EXPECT_EQ((*made)->axisName(0), "PC 1");
    }
}

TEST(CurveModel, EachOfSeveralCurvesCanBeDisplayed) {
    trace::Trace trace = test::syntheticTrace({.words = 12, .steps = 3});
    const auto one = modelOf(trace);
    EXPECT_EQ(one->curves(), 1);
    // A second curve: the selected one, shifted by 1 along the first dimension.
    const trace::Block selected = trace.blocks["curve"];
    const std::size_t size = selected.data.size() / 3;
    trace::Block both{{3, 2, selected.shape[1], selected.shape[2]}, {}, false};
    for (std::size_t step = 0; step < 3; ++step)
        for (const float shift : {0.0F, 1.0F})
            for (std::size_t i = 0; i < size; ++i)
                both.data.push_back(selected.data[step * size + i] + (i % 32 == 0 ? shift : 0.0F));
    trace.blocks["curves"] = both;
    trace.blocks["curve_weights"] = {{3, 2}, {.7F, .3F, .6F, .4F, .9F, .1F}, false};
    CurveRequest request;
    request.trace = std::make_shared<trace::Trace>(trace);
    request.basis = one->basis();
    const auto first = *CurveModel::create(request);
    EXPECT_EQ(first->curves(), 2);
    EXPECT_EQ(first->shownCurve(), -1);
    ASSERT_EQ(first->step(1).curves.size(), 2U);
    EXPECT_NEAR(distance(first->step(1).curves[0][100], first->step(1).curve[100]), 0, 1e-4);
    EXPECT_FLOAT_EQ(first->step(2).weights[0], 0.9F);
    request.curve = 1;
    const auto second = *CurveModel::create(request);
    EXPECT_NEAR(distance(second->step(1).curve[100], first->step(1).curves[1][100]), 0, 1e-4);
    // Weights of a spline sum to one: every position moves as far as the control points.
    EXPECT_NEAR(second->wordData(1)[0], first->wordData(1)[0] + 1, 1e-3);
    EXPECT_NEAR(second->wordData(1)[1], first->wordData(1)[1], 1e-4);
    trace.blocks["curve_weights"].shape = {2, 3};  // weights of a wrong shape are ignored
    EXPECT_EQ(modelOf(trace)->curves(), 1);
}

}  // namespace
}  // namespace kurve::inspect
