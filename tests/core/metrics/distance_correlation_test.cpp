// Against the dcor package (tests/golden/metrics/make_distance_correlation.py), and closed forms.
#include "core/metrics/distance_correlation.h"

#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/base/check.h"
#include "core/base/random_stream.h"

namespace kurve::metrics {
namespace {

using nlohmann::json;

/// Observations and where their numbers are.
struct Sample {
    std::vector<double> values;
    std::size_t count = 0;
    [[nodiscard]] Observations observations() const { return {values, count, values.size() / count}; }
};

Sample sampleOf(const json& rows) {
    Sample sample;
    sample.count = rows.size();
    for (const json& row : rows)
        for (const json& value : row) sample.values.push_back(value);
    return sample;
}

Sample normals(std::size_t count, std::size_t width, std::uint64_t seed) {
    RandomStream stream(seed, "test.normals");
    Sample sample{{}, count};
    for (std::size_t i = 0; i < count * width; ++i) sample.values.push_back(stream.normal());
    return sample;
}

TEST(DistanceCorrelation, EqualsDcor) {
    std::ifstream file(KURVE_SOURCE_DIR "/tests/golden/metrics/distance_correlation.json");
    const json golden = json::parse(file);
    ASSERT_GE(golden.at("cases").size(), 8U);
    for (const json& one : golden.at("cases")) {
        const std::string name = one.at("name");
        const Sample xs = sampleOf(one.at("x")), ys = sampleOf(one.at("y"));
        const CentredDistances x(xs.observations()), y(ys.observations());
        EXPECT_NEAR(distanceCorrelation(x, y), one.at("distance_correlation").get<double>(), 1e-10) << name;
        EXPECT_NEAR(distanceCorrelation(ys.observations(), xs.observations()),
                    one.at("distance_correlation").get<double>(), 1e-10)
            << name;
        EXPECT_NEAR(x.covariance(y), one.at("distance_covariance_squared").get<double>(), 1e-10) << name;
        EXPECT_NEAR(x.variance(), one.at("distance_variance_squared_x").get<double>(), 1e-10) << name;
    }
}

// The distances of both are |i - j| and |i^2 - j^2|; of the second the square's and |k - l|.
TEST(DistanceCorrelation, EqualsNumbersByHand) {
    const std::vector<double> x{1, 2, 3, 4}, y{1, 4, 9, 16}, corners{0, 0, 1, 0, 0, 1, 1, 1}, k{0, 1, 2, 1};
    EXPECT_NEAR(distanceCorrelation({x, 4, 1}, {y, 4, 1}), 0.9880575601, 1e-10);
    EXPECT_NEAR(distanceCorrelation({corners, 4, 2}, {k, 4, 1}), 0.8559565892, 1e-10);
}

// R_n = 1 exactly for y = a + b x C with an orthogonal C (Székely et al. 2007, theorem 4).
TEST(DistanceCorrelation, IsOneOfSimilarShapesAndZeroOfNothing) {
    const Sample x = normals(20, 2, 1);
    Sample turned{{}, 20}, still{std::vector<double>(20, 3.0), 20};
    for (std::size_t i = 0; i < 20; ++i) {
        turned.values.push_back(5 - 2 * x.values[2 * i + 1]);
        turned.values.push_back(1 + 2 * x.values[2 * i]);
    }
    EXPECT_NEAR(distanceCorrelation(x.observations(), turned.observations()), 1, 1e-12);
    EXPECT_EQ(distanceCorrelation(x.observations(), still.observations()), 0);
}

TEST(DistanceCorrelation, PermutationTakesTheDependenceAway) {
    const Sample x = normals(100, 3, 1), other = normals(100, 3, 2);
    const CentredDistances a(x.observations()), b(other.observations());
    const double independent = distanceCorrelation(a, b);
    const double ofItself = permutedDistanceCorrelation(a, a, 50, 3),
                 ofOthers = permutedDistanceCorrelation(a, b, 50, 3);
    EXPECT_NEAR(distanceCorrelation(a, a), 1, 1e-12);
    EXPECT_NEAR(ofItself, independent, 0.05);
    EXPECT_NEAR(ofOthers, independent, 0.05);
    EXPECT_GT(ofItself, 0.1) << "the V-statistic's bias";
    EXPECT_EQ(permutedDistanceCorrelation(a, b, 5, 3), permutedDistanceCorrelation(a, b, 5, 3));
    EXPECT_NE(permutedDistanceCorrelation(a, b, 5, 3), permutedDistanceCorrelation(a, b, 5, 4));
}

TEST(DistanceCorrelation, RefusesWhatIsNoSample) {
    const std::vector<double> x{1, 2, 3};
    EXPECT_THROW(CentredDistances({x, 1, 3}), ContractError);
    EXPECT_THROW(CentredDistances({x, 2, 2}), ContractError);
    EXPECT_THROW((void)CentredDistances({x, 3, 1}).covariance(CentredDistances({{x.data(), 2}, 2, 1})),
                 ContractError);
}

TEST(DistanceCorrelation, TheIntervalOfAMeanHoldsIt) {
    const Sample values = normals(200, 1, 4);
    const Score score = bootstrapMean(values.values);
    double mean = 0;
    for (const double v : values.values) mean += v / 200;
    EXPECT_NEAR(score.value, mean, 1e-12);
    EXPECT_EQ(score.n, 200);
    const double error = 1.96 / std::sqrt(200.0);
    EXPECT_NEAR(score.low, mean - error, 0.04);
    EXPECT_NEAR(score.high, mean + error, 0.04);
}

}  // namespace
}  // namespace kurve::metrics
