#include "core/curve/spline.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kurve::curve {
namespace {

std::string codeOf(const SplineShape& shape) {
    const Status status = checkShape(shape);
    return status ? "" : status.error().code;
}

TEST(SplineShape, NamesWhatIsWrong) {
    EXPECT_EQ(codeOf({10, 20, 2}), "");
    EXPECT_EQ(codeOf({0, 20, 2}), "spline.words");
    EXPECT_EQ(codeOf({1000000, 20, 2}), "spline.words");
    EXPECT_EQ(codeOf({10, 20, 0}), "spline.degree");
    EXPECT_EQ(codeOf({10, 5, 5}), "spline.control_points");
    EXPECT_EQ(codeOf({10, 2, 2}), "spline.control_points");
    EXPECT_EQ(codeOf({10, 1, 1}), "spline.control_points");
    EXPECT_EQ(codeOf({10, 2, 1}), "");
    EXPECT_EQ(codeOf({10, 1000000, 2}), "spline.control_points");
    EXPECT_EQ(codeOf({2, 2, 1}), "");
    EXPECT_EQ(codeOf({1, 1, 1}), "");
    EXPECT_EQ(codeOf({10, 20, 2, -0.1}), "spline.margin");
    EXPECT_EQ(codeOf({10, 20, 2, 0.5}), "spline.margin");
    EXPECT_EQ(codeOf({10, 20, 2, NAN}), "spline.margin");
    EXPECT_EQ(codeOf({10, 20, 2, 0.01, Knots::Clamped, -1}), "spline.ridge");
}

TEST(ShapeRule, FollowsTheSentence) {
    const ShapeRule nmt{3.5, 0.1};
    EXPECT_EQ(nmt.shapeFor(25).controlPoints, 88);  // half up
    EXPECT_EQ(nmt.shapeFor(25).degree, 8);
    const ShapeRule fixed{2.0, 0.01, 5};
    EXPECT_EQ(fixed.shapeFor(1).controlPoints, 3);
    EXPECT_EQ(fixed.shapeFor(1).degree, 2);
    EXPECT_EQ(fixed.shapeFor(10).degree, 5);
    EXPECT_EQ((ShapeRule{2.0, 0.01}.shapeFor(50).degree), 2);
    ShapeRule adaptive{2.0, 0.01};
    adaptive.adaptiveMargin = true;
    EXPECT_DOUBLE_EQ(adaptive.shapeFor(100).margin, 0.005);
    EXPECT_DOUBLE_EQ(adaptive.shapeFor(10).margin, 0.01);
}

TEST(Spline, GrevilleAbscissae) {
    const std::vector<double> cubic = greville({6, 6, 3});
    const std::vector<double> expected{0, 1.0 / 9, 1.0 / 3, 2.0 / 3, 8.0 / 9, 1};
    for (std::size_t j = 0; j < expected.size(); ++j) EXPECT_NEAR(cubic[j], expected[j], 1e-15);
}

TEST(Spline, TangentsAreTheDerivative) {
    constexpr double kStep = 1e-6;
    for (const Knots knots : {Knots::Clamped, Knots::Unclamped})
        for (const int degree : {1, 2, 3, 6}) {
            const SplineShape shape{10, 17, degree, 0.01, knots};
            for (const double u : {0.013, 0.31, 0.5001, 0.987}) {
                const auto row = tangentRow(shape, u), before = basisRow(shape, u - kStep),
                           after = basisRow(shape, u + kStep);
                for (std::size_t j = 0; j < row.size(); ++j)
                    EXPECT_NEAR(row[j], (after[j] - before[j]) / (2 * kStep), 1e-4) << degree << ' ' << u;
            }
        }
    EXPECT_EQ(tangentRow({2, 2, 1}, 0.3), (std::vector<double>{-1, 1}));
    EXPECT_EQ(tangentRow({1, 1, 1}, 0.3), (std::vector<double>{0})) << "a point goes nowhere";
}

// Knots 0 0 1 1 (or -1 0 1 2): BSpline.design_matrix of SciPy has the row [1 - u, u].
TEST(Spline, TwoControlPointsOfDegreeOneAreALine) {
    for (const Knots knots : {Knots::Clamped, Knots::Unclamped})
        for (const int words : {1, 2, 3, 25}) {
            const SplineShape shape{words, 2, 1, 0.01, knots};
            const Matrix map = psi(shape);
            const auto u = wordPositions(shape);
            for (int i = 0; i < words; ++i) {
                EXPECT_NEAR(map.at(i, 0), 1 - u[static_cast<std::size_t>(i)], 1e-15);
                EXPECT_NEAR(map.at(i, 1), u[static_cast<std::size_t>(i)], 1e-15);
            }
            EXPECT_EQ(greville(shape), (std::vector<double>{0, 1}));
            const SplineReport got = report(shape);
            EXPECT_EQ(got.rank, std::min(words, 2));
            EXPECT_EQ(got.deadControlPoints, 0);
            EXPECT_NEAR(got.reconstructionMse, 1 - std::min(words, 2) / static_cast<double>(words), 1e-12);
        }
}

TEST(Spline, IdentityLimitIsExact) {
    const ShapeRule rule{1.0, 0.01, 1, 0.0};
    for (int words = 1; words <= 70; ++words) {
        const SplineShape shape = rule.shapeFor(words);
        ASSERT_EQ(shape.controlPoints, words);
        const Matrix map = psi(shape), inverse = pseudoInverse(shape);
        for (int i = 0; i < words; ++i)
            for (int j = 0; j < words; ++j) {
                ASSERT_EQ(map.at(i, j), i == j ? 1.0 : 0.0) << words;
                ASSERT_EQ(inverse.at(i, j), i == j ? 1.0 : 0.0) << words;
            }
    }
}

TEST(Spline, RidgeOfTheOracle) {
    const Matrix inverse = pseudoInverse({4, 5, 2, 0.01, Knots::Clamped, 0.01});
    const double first[] = {1.0494946757, -0.0802438804, 0.0404991478, -0.0012849882};
    for (int c = 0; c < 4; ++c) EXPECT_NEAR(inverse.at(0, c), first[c], 1e-10);
}

// Measured with PyTorch.
TEST(Spline, InputGainAtRhoOne) {
    EXPECT_NEAR(report({10, 10, 2}).inputGain, 3.2, 0.05);
    EXPECT_NEAR(report({16, 16, 2}).inputGain, 5.1, 0.05);
    EXPECT_NEAR(report({24, 24, 2}).inputGain, 19.6, 0.05);
    EXPECT_NEAR(report({32, 32, 2}).inputGain, 386, 0.5);
    EXPECT_NEAR(report({32, 32, 3}).inputGain / 6.9e7, 1, 0.01);
    const SplineReport ridged = report({32, 32, 2, 0.01, Knots::Clamped, 0.01});
    EXPECT_NEAR(ridged.inputGain, 2.6, 0.05);
    EXPECT_NEAR(std::sqrt(ridged.reconstructionMse), 0.25, 0.01);
}

TEST(Spline, UnclampedDiffersOnlyAtTheEnds) {
    const SplineShape clamped{25, 75, 5}, open{25, 75, 5, 0.01, Knots::Unclamped};
    const Matrix a = psi(clamped), b = psi(open);
    for (int i = 3; i < 22; ++i)
        for (int j = 0; j < 75; ++j) EXPECT_NEAR(a.at(i, j), b.at(i, j), 1e-12) << i << "," << j;
    EXPECT_GT(std::abs(a.at(0, 1) - b.at(0, 1)), 0.01);
    EXPECT_NEAR(report(open).R_L / report(clamped).R_L, 1, 0.01);
}

TEST(Spline, ErrorRatiosAreThoseOfTheReport) {
    for (const SplineShape& shape : {SplineShape{25, 50, 2}, {25, 30, 5}, {40, 20, 3}, {7, 7, 2}}) {
        const SplineReport whole = report(shape);
        const ErrorRatios ratios = errorRatios(shape);
        EXPECT_NEAR(ratios.R_L, whole.R_L, 1e-9);
        EXPECT_NEAR(ratios.R_M, whole.R_M, 1e-9);
        EXPECT_NEAR(ratios.R_1, whole.R_1, 1e-9);
    }
}

}  // namespace
}  // namespace kurve::curve
