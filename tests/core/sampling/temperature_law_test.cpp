// Against tests/golden/oracles/make_calm_laws.py, and bad input.
#include "core/sampling/temperature_law.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "core/sampling/temperature.h"
#include "tests/core/sampling/calm_laws.h"

namespace kurve::sampling {
namespace {

using nlohmann::json;
using test::calmLaws;
using ::testing::DoubleNear;
using ::testing::HasSubstr;
using ::testing::Pointwise;

constexpr double kClosedForm = 1e-9;

TEST(ExactLaw, EqualsTheorem2) {
    ASSERT_EQ(calmLaws("algorithm1").size(), 63U);
    for (const json& row : calmLaws("algorithm1")) {
        SCOPED_TRACE(row.dump());
        const std::vector<double> p = row.at("P"), target = row.at("P_T");
        const auto exponent = exponentOf(row.at("T"));
        ASSERT_TRUE(exponent);
        EXPECT_EQ(exponent->whole, row.at("n"));
        EXPECT_NEAR(exponent->fraction, row.at("alpha"), kClosedForm);
        const auto law = exactLaw(p, row.at("T"));
        ASSERT_TRUE(law);
        EXPECT_THAT(law->target, Pointwise(DoubleNear(kClosedForm), target));
        EXPECT_NEAR(law->normaliser, row.at("Z"), kClosedForm);
        EXPECT_NEAR(law->stageOne, row.at("P_stage1"), kClosedForm);
        const double calls = row.at("E_calls");
        EXPECT_NEAR(law->expectedCalls, calls, kClosedForm * calls);
    }
}

TEST(ExactLaw, LowTemperaturesDoNotUnderflow) {
    const std::vector<double> p{0.5, 0.3, 0.2};
    const auto law = exactLaw(p, 1e-6);
    ASSERT_TRUE(law);
    EXPECT_THAT(law->target, ::testing::ElementsAre(1, 0, 0));
    EXPECT_TRUE(std::isinf(law->expectedCalls));
}

TEST(Exponent, SnapsToWholeNumbers) {
    for (const json& row : calmLaws("floor_edge")) {
        const std::string text = row.at("T_expr");
        const double temperature = text.starts_with("1/") ? 1.0 / std::stod(text.substr(2)) : std::stod(text);
        EXPECT_EQ(std::floor(1 / temperature), row.at("naive_floor")) << "no edge: " << text;
        const auto exponent = exponentOf(temperature);
        ASSERT_TRUE(exponent);
        EXPECT_EQ(exponent->whole, row.at("n")) << text;
        EXPECT_NEAR(exponent->fraction, row.at("alpha"), 1e-12) << text;
        EXPECT_EQ(exponent->fraction == 0, row.at("alpha") == 0) << text;
    }
    for (int n = 1; n <= 1'000'000; n += 997) EXPECT_EQ(reciprocal(1.0 / n).value(), n);
    EXPECT_EQ(exponentOf(1 - 1e-12)->whole, 1);
}

TEST(Exponent, RefusesOtherTemperatures) {
    for (const double wrong : {0.0, -0.5, 1.01, 1e-7, 1e-300, std::nan(""), HUGE_VAL}) {
        const auto exponent = exponentOf(wrong);
        ASSERT_FALSE(exponent) << wrong;
        EXPECT_EQ(exponent.error().code, "sampler.temperature");
        EXPECT_EQ(exponent.error().field, "temperature");
        EXPECT_FALSE(reciprocal(wrong));
    }
    const auto between = reciprocal(0.4);
    ASSERT_FALSE(between);
    EXPECT_EQ(between.error().code, "sampler.temperature");
    EXPECT_THAT(between.error().remedy, HasSubstr("0.5 (1/2) or 0.333333333333 (1/3)"));
    EXPECT_FALSE(reciprocal(0.3333)) << "3.0003 is not 3";
}

TEST(BatchLaw, EqualsTheEnumerationInFractions) {
    ASSERT_EQ(calmLaws("algorithm2").size(), 39U);
    for (const json& row : calmLaws("algorithm2")) {
        SCOPED_TRACE(row.dump());
        const std::vector<double> p = row.at("P"), expected = row.at("law");
        const std::int64_t n = row.at("n");
        const auto law = batchLaw(p, n, row.at("N"));
        ASSERT_TRUE(law);
        EXPECT_THAT(law->law, Pointwise(DoubleNear(kClosedForm), expected));
        double fallback = 0;
        for (std::size_t m = 1; m <= law->chosenBy.size(); ++m) {
            const double chance = row.at("matched_m").at(std::to_string(m));
            EXPECT_NEAR(law->chosenBy[m - 1], chance, kClosedForm);
            if (static_cast<std::int64_t>(m) < n) fallback += chance;
        }
        EXPECT_NEAR(law->fallback, fallback, kClosedForm);
        EXPECT_NEAR(law->accuracy, row.at("accuracy_if_Q_eq_P"), kClosedForm);
        EXPECT_NEAR(law->collision, row.at("collision"), kClosedForm);
    }
}

TEST(BatchLaw, LargeCountsStayInRange) {
    const std::vector<double> p{0.5, 0.5};
    const auto law = batchLaw(p, 2000, 5000);  // binom(5000, 2000) = 10^1459
    ASSERT_TRUE(law);
    EXPECT_THAT(law->law, Pointwise(DoubleNear(kClosedForm), p));
}

TEST(BatchLaw, RefusesWhatWouldTakeTooLong) {
    const std::vector<double> p(20, 0.05);
    const auto law = batchLaw(p, 2, 200);
    ASSERT_FALSE(law);
    EXPECT_EQ(law.error().code, "sampler.too_large");
    EXPECT_EQ(law.error().field, "samples");
}

TEST(Laws, RefuseWhatIsNoDistribution) {
    const std::vector<std::vector<double>> wrong{{},          {0.5, 0.4},        {0.5, 0.5, 0},
                                                 {1.5, -0.5}, {std::nan(""), 1}, {HUGE_VAL, 0.5}};
    for (const auto& p : wrong) {
        const auto exact = exactLaw(p, 0.5);
        const auto batch = batchLaw(p, 2, 5);
        ASSERT_FALSE(exact);
        ASSERT_FALSE(batch);
        EXPECT_EQ(exact.error().code, "sampler.probabilities");
        EXPECT_EQ(batch.error().field, "probabilities");
    }
    const std::vector<double> rounded{0.333333, 0.333333, 0.333333};
    const auto law = exactLaw(rounded, 0.5);
    ASSERT_TRUE(law);
    EXPECT_NEAR(law->expectedCalls, 6, kClosedForm) << "divided by their sum";
}

}  // namespace
}  // namespace kurve::sampling
