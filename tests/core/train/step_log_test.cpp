#include "core/train/step_log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kurve::train {
namespace {

TEST(NoiseHistogram, AveragesRowsByTheirNoise) {
    NoiseHistogram histogram;
    EXPECT_TRUE(histogram.empty());
    histogram.add(at::tensor({-100.0, 0.5, 0.6, INFINITY}), at::tensor({1.0, 2.0, 4.0, 8.0}));
    const auto bins = histogram.take();
    EXPECT_EQ(bins["edges"].size(), 25U);
    EXPECT_EQ(bins["values"][0], 1.0);
    EXPECT_EQ(bins["values"][16], 3.0);
    EXPECT_EQ(bins["weights"][16], 2.0);
    EXPECT_EQ(bins["values"][23], 8.0);
    EXPECT_TRUE(bins["values"][1].is_null());
    EXPECT_TRUE(histogram.empty());
}

TEST(NoiseHistogram, AddsUpTheProbabilitiesOfABin) {
    NoiseHistogram histogram;
    histogram.add(at::tensor({0.5}), at::tensor({1.0}));
    EXPECT_FALSE(histogram.take().contains("probability"));
    histogram.setProbabilities(at::tensor({-20.0, -15.5, 0.2, 0.7}), at::tensor({0.1, 0.2, 0.3, 0.4}));
    const auto shares = histogram.take()["probability"].get<std::vector<double>>();
    ASSERT_EQ(shares.size(), 24U);
    EXPECT_NEAR(shares[0], 0.3, 1e-7);
    EXPECT_NEAR(shares[16], 0.7, 1e-7);
    EXPECT_FALSE(histogram.take().contains("probability")) << "they belong to one evaluation";
}

TEST(StepLog, GivesMeansSinceTheLastPoint) {
    StepLog log;
    for (const double loss : {2.0, 4.0}) {
        StepReport report;
        report.loss = at::full({}, loss);
        report.gradientNorm = at::full({}, 1.0);
        report.parts["nll"] = at::full({}, 2 * loss);
        report.targetTokens = 100;
        report.learningRate = 0.5;
        report.times = {{0.6, 0.2}, {0.1, 0.5}};
        log.add(report, 0.1, 1.0);
    }
    const auto values = log.take();
    EXPECT_DOUBLE_EQ(values.at("loss"), 3);
    EXPECT_DOUBLE_EQ(values.at("nll"), 6);
    EXPECT_DOUBLE_EQ(values.at("tokens_per_second"), 100);
    EXPECT_DOUBLE_EQ(values.at("data_wait"), 10);
    EXPECT_DOUBLE_EQ(values.at("lr"), 0.5);
    EXPECT_DOUBLE_EQ(values.at("rank_0_computing"), 60);
    EXPECT_DOUBLE_EQ(values.at("rank_1_computing"), 20);
    EXPECT_DOUBLE_EQ(values.at("rank_0_waiting"), 10);
    EXPECT_DOUBLE_EQ(values.at("rank_1_waiting"), 50);
    EXPECT_TRUE(log.take().empty());
}

// As a GPU's is, where such a step is found a while after it was added.
TEST(StepLog, TakenItForgetsAStepThatWasNotFiniteButNotTheNoise) {
    StepLog log;
    const auto add = [&](double loss) {
        StepReport report;
        report.loss = report.gradientNorm = at::full({}, loss);
        report.noiseLoss = {{at::full({2}, 0.5), at::full({2}, loss)}};
        log.add(report, 0.1, 1.0);
    };
    add(2);
    add(NAN);
    (void)log.take();
    add(4);
    EXPECT_DOUBLE_EQ(log.take().at("loss"), 4);
    EXPECT_EQ(log.noise().take()["weights"][16], 4) << "rows of both finite steps";
}

}  // namespace
}  // namespace kurve::train
