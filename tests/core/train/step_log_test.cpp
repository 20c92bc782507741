#include "core/train/step_log.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace kurve::train {
namespace {

// A run between two states of (L_diff, NLL, std E), 40 logged points.
std::optional<std::string> watch(std::array<double, 3> from, std::array<double, 3> to) {
    CollapseWatch collapse;
    std::optional<std::string> alert;
    for (int i = 0; i <= 40; ++i) {
        const double s = i / 40.0;
        const auto at = [&](std::size_t k) { return from[k] + s * (to[k] - from[k]); };
        const auto reported =
            collapse.observe({{"loss_diff", at(0)}, {"nll", at(1)}, {"embedding_std", at(2)}});
        EXPECT_FALSE(reported && alert) << "reported twice";
        if (reported) alert = reported;
    }
    return alert;
}

// The figures of the prototype's collapsed and healthy runs.
TEST(CollapseWatch, DistinguishesACollapsedRunFromAHealthyOne) {
    EXPECT_TRUE(watch({1.0, 7.6, 0.12}, {0.2, 5.5, 0.08}));
    EXPECT_FALSE(watch({1.0, 7.6, 0.12}, {0.42, 1.3, 0.12}));
    EXPECT_FALSE(watch({1.0, 7.6, 0.12}, {0.3, 0.9, 0.09}));
    EXPECT_FALSE(CollapseWatch().observe({{"loss", 1.0}}));
}

TEST(GainWatch, ReportsOnceThatTheMapAmplifies) {
    GainWatch watch(false);
    EXPECT_FALSE(watch.observe({{"loss", 1.0}}));
    EXPECT_FALSE(watch.observe({{"map_input_gain", 10.0}}));
    EXPECT_FALSE(watch.observe({{"map_input_gain", NAN}}));
    const auto alert = watch.observe({{"map_input_gain", 19.6}});
    ASSERT_TRUE(alert);
    for (const char* part : {"19.6", "map.rho", "map.ridge"}) EXPECT_NE(alert->find(part), std::string::npos);
    EXPECT_FALSE(watch.observe({{"map_input_gain", 400.0}}));
    EXPECT_FALSE(GainWatch(true).observe({{"map_input_gain", 400.0}}));
}

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

TEST(StepLog, GivesMeansSinceTheLastPoint) {
    StepLog log;
    for (const double loss : {2.0, 4.0}) {
        StepReport report;
        report.loss = at::full({}, loss);
        report.gradientNorm = at::full({}, 1.0);
        report.parts["nll"] = at::full({}, 2 * loss);
        report.targetTokens = 100;
        report.learningRate = 0.5;
        log.add(report, 0.1, 1.0);
    }
    const auto values = log.take();
    EXPECT_DOUBLE_EQ(values.at("loss"), 3);
    EXPECT_DOUBLE_EQ(values.at("nll"), 6);
    EXPECT_DOUBLE_EQ(values.at("tokens_per_second"), 100);
    EXPECT_DOUBLE_EQ(values.at("data_wait"), 10);
    EXPECT_DOUBLE_EQ(values.at("lr"), 0.5);
    EXPECT_TRUE(log.take().empty());
}

}  // namespace
}  // namespace kurve::train
