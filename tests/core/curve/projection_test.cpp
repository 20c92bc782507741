#include "core/curve/projection.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "core/base/random_stream.h"

namespace kurve::curve {
namespace {

/// Points with standard deviations 3, 2 and 1 along three fixed orthonormal directions of R^d.
std::vector<float> cloud(int count, int dims) {
    RandomStream stream(7, "test.cloud");
    std::vector<float> points;
    for (int i = 0; i < count; ++i) {
        const double a = 3 * stream.normal(), b = 2 * stream.normal();
        for (int d = 0; d < dims; ++d)
            points.push_back(static_cast<float>(d == 0 ? 0.6 * a + 5 : d == 1 ? -0.8 * a : d == 2 ? b : 0.0));
    }
    return points;
}

TEST(Projection, FindsTheDirectionsOfACloud) {
    for (const int dims : {3, 400}) {  // more points than dims, and fewer
        const LinearBasis basis = fitPca(cloud(300, dims), dims);
        EXPECT_NEAR(basis.axes[0][0], -0.6, 0.03);
        EXPECT_NEAR(basis.axes[0][1], 0.8, 0.03);  // the largest component is positive
        EXPECT_NEAR(basis.axes[1][2], 1, 0.03);
        EXPECT_NEAR(basis.explained[0], 9.0 / 13, 0.05);
        EXPECT_NEAR(basis.explained[0] + basis.explained[1], 1, 1e-6);
        const std::vector<float> centre(basis.mean.begin(), basis.mean.end());
        for (const double coordinate : basis.project(centre)) EXPECT_NEAR(coordinate, 0, 1e-5);
    }
}

TEST(Projection, ExactOnALine) {
    const std::vector<float> points{0, 0, 3, 4, 6, 8};
    const LinearBasis basis = fitPca(points, 2);
    EXPECT_NEAR(basis.axes[0][0], 0.6, 1e-12);
    EXPECT_NEAR(basis.axes[0][1], 0.8, 1e-12);
    EXPECT_NEAR(basis.explained[0], 1, 1e-12);
    EXPECT_EQ(basis.axes[1], (std::vector<double>{0, 0}));
    EXPECT_NEAR(basis.project(std::vector<float>{6, 8})[0], 5, 1e-12);
}

TEST(Projection, NoVarianceGivesZeroAxes) {
    const std::vector<float> same{1, 2, 3, 1, 2, 3};
    for (const auto& points : {same, std::vector<float>{1, 2, 3}, std::vector<float>{}}) {
        const LinearBasis basis = fitPca(points, 3);
        ASSERT_EQ(basis.axes.size(), 2u);
        EXPECT_EQ(basis.axes[0], (std::vector<double>{0, 0, 0}));
        EXPECT_EQ(basis.explained[0], 0);
    }
}

/// `count` normal points around a centre, with standard deviations sx and sy and no correlation.
std::vector<float> normalCloud(int count, std::array<double, 2> centre, double sx, double sy,
                               std::uint64_t seed) {
    RandomStream stream(seed, "test.spread");
    std::vector<float> points;
    for (int i = 0; i < count; ++i) {
        points.push_back(static_cast<float>(centre[0] + sx * stream.normal()));
        points.push_back(static_cast<float>(centre[1] + sy * stream.normal()));
    }
    return points;
}

TEST(Projection, DiscriminantFollowsTheWithinSetCovarianceNotTheMeansAlone) {
    // Within both: 9 along x, 1 along y. S^-1 (3, 1) = (1/3, 1), unlike the way between the means.
    const auto a = normalCloud(20000, {0, 0}, 3, 1, 3), b = normalCloud(20000, {3, 1}, 3, 1, 4);
    const auto way = discriminant(a, b, 2, 0);
    EXPECT_NEAR(way[0] / way[1], 1.0 / 3, 0.03);
    EXPECT_GT(way[1], 0) << "from a to b";
    EXPECT_NEAR(way[0] * way[0] + way[1] * way[1], 1, 1e-9);
    const auto shrunk = discriminant(a, b, 2, 1);  // nothing is left of S but its size
    EXPECT_NEAR(shrunk[0] / shrunk[1], 3, 0.1);
}

TEST(Projection, DiscriminantOfFewerPointsThanDimensions) {
    const std::vector<float> a{1, 0, 0, 0, -1, 0, 0, 0}, b{1, 0, 2, 0, -1, 0, 2, 0};
    const auto way = discriminant(a, b, 4);
    EXPECT_NEAR(way[2], 1, 1e-9);
    EXPECT_EQ(discriminant(a, a, 4), (std::vector<double>{0, 0, 0, 0}));
}

TEST(Projection, DirectionsAreOrthonormalisedInOrder) {
    // Standard deviation 3 along x, 2 along y: fractions 9 and 4 of 13.
    const std::vector<float> points{3, 0, -3, 0, 0, 2, 0, -2};
    const LinearBasis basis = basisAlong(points, 2, {{-2, 0}, {1, 1}, {5, 5}});
    EXPECT_EQ(basis.axes[0], (std::vector<double>{-1, 0}));  // the sign that was given
    EXPECT_NEAR(basis.axes[1][1], 1, 1e-12);
    EXPECT_NEAR(basis.axes[1][0], 0, 1e-12);
    EXPECT_EQ(basis.axes[2], (std::vector<double>{0, 0}));  // nothing is left of it
    EXPECT_NEAR(basis.explained[0], 9.0 / 13, 1e-12);
    EXPECT_NEAR(basis.explained[1], 4.0 / 13, 1e-12);
}

TEST(Projection, RandomDirectionsAreReproducible) {
    EXPECT_EQ(randomDirections(5, 3, 8), randomDirections(5, 3, 8));
    EXPECT_NE(randomDirections(5, 3, 8), randomDirections(5, 3, 9));
    const LinearBasis basis = basisAlong(cloud(40, 5), 5, randomDirections(5, 3, 8));
    double dot = 0;
    for (std::size_t i = 0; i < 5; ++i) dot += basis.axes[0][i] * basis.axes[2][i];
    EXPECT_NEAR(dot, 0, 1e-12);
}

TEST(Projection, ASecondFitDoesNotMirrorTheFirst) {
    const LinearBasis first = fitPca(cloud(300, 3), 3);
    LinearBasis second = first;
    for (double& x : second.axes[1]) x *= -1;
    alignSigns(second, first);
    EXPECT_EQ(second.axes, first.axes);
}

}  // namespace
}  // namespace kurve::curve
