#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {
namespace {

nlohmann::json read(const char* name) {
    std::ifstream file(std::string(KURVE_SOURCE_DIR "/tests/golden/oracles/") + name);
    return nlohmann::json::parse(file);
}

const nlohmann::json& oracle(const std::string& group) {
    static const nlohmann::json all = read("sclm_difformer_mdlm.json");
    return all.at(group);
}

std::unique_ptr<NoiseSchedule> made(const std::string& id,
                                    const std::map<std::string, std::string>& values = {}) {
    auto schedule = makeSchedule(id, values);
    EXPECT_TRUE(schedule.has_value()) << (schedule ? "" : schedule.error().text());
    return std::move(*schedule);
}

void expectClose(double got, const nlohmann::json& expected, const std::string& what) {
    const double value = expected;
    EXPECT_NEAR(got, value, 1e-11 * std::abs(value) + 1e-18) << what;
}

TEST(ScheduleOracle, DifformerTraining) {
    const auto schedule = made("sqrt");
    ASSERT_EQ(schedule->discreteSteps(), 2000);
    for (const auto& [index, entry] : oracle("difformer").at("training").items()) {
        const auto i = std::stoul(index);
        const double s = (static_cast<double>(i) + 1) / 2000;
        expectClose(schedule->betas()[i], entry.at("beta"), index);
        expectClose(schedule->alphaBars()[i], entry.at("alpha_bar"), index);
        expectClose(schedule->alpha(s), entry.at("sqrt_ab"), index);
        expectClose(schedule->sigma(s), entry.at("sqrt_1m_ab"), index);
    }
}

TEST(ScheduleOracle, DifformerDecoding) {
    const std::vector<ReverseStep> chain = respace(*made("sqrt"), 20);
    const auto& expected = oracle("difformer").at("decoding");
    ASSERT_EQ(chain.size(), expected.size());
    for (const auto& entry : expected) {
        const ReverseStep& step = chain[entry.at("step").get<std::size_t>()];
        const std::string what = entry.dump();
        EXPECT_EQ(step.t, entry.at("t").get<int>());
        expectClose(step.modelTime, entry.at("model_t"), what);
        expectClose(step.alphaBar, entry.at("alpha_bar"), what);
        expectClose(step.beta, entry.at("beta"), what);
        expectClose(step.c1, entry.at("coef_x0"), what);
        expectClose(step.c2, entry.at("coef_zt"), what);
        expectClose(step.sigma, entry.at("std"), what);
    }
}

// Forward process z_0 = 0.5, eps = -1.25 and posterior z = 1, z0_hat = 0.5, eps = 0.25.
TEST(ScheduleOracle, ForwardAndPosterior) {
    const auto wide = made("sqrt", {{"noise_factor", "4"}});
    const auto plain = made("sqrt");
    const auto noised = [](const NoiseSchedule& schedule, double index) {
        const double s = (index + 1) / 2000;
        return schedule.alpha(s) * 0.5 + schedule.sigma(s) * -1.25;
    };
    EXPECT_NEAR(noised(*wide, 0), -0.1086802406, 1e-10);
    EXPECT_NEAR(noised(*plain, 0), 0.3450745714, 1e-10);
    EXPECT_NEAR(noised(*wide, 999), -3.9239614650, 1e-10);
    EXPECT_NEAR(noised(*plain, 1999), -1.2497751292, 1e-10);
    const std::vector<ReverseStep> chain = respace(*plain, 20);
    const auto next = [&](std::size_t s) { return chain[s].c1 * 0.5 + chain[s].c2 + chain[s].sigma * 0.25; };
    EXPECT_NEAR(next(19), 0.3311793083, 1e-10);
    EXPECT_NEAR(next(10), 1.0201139523, 1e-10);
    EXPECT_NEAR(next(0), 0.5294552662, 1e-10);
}

TEST(ScheduleOracle, RescaledVariancePreserving) {
    const auto schedule = made("sqrt", {{"noise_factor", "4"}, {"vp_rf", "true"}});
    EXPECT_NEAR(schedule->alphaBars()[0], 0.8286844016, 1e-10);
    EXPECT_NEAR(schedule->alphaBars()[999], 0.0293036920, 1e-10);
    EXPECT_NEAR(schedule->alphaBars()[1999], 1.45244e-8, 1e-13);
    EXPECT_NEAR(std::pow(schedule->alpha(0.5), 2) + std::pow(schedule->sigma(0.5), 2), 1, 1e-14);
}

// Closed forms of the other curves at a step where nothing is clipped.
TEST(ScheduleOracle, OtherCurvesTelescope) {
    const auto at = [](const char* id) { return made(id)->alphaBars()[999]; };
    EXPECT_NEAR(at("linear"), std::exp(-9.95 * 0.25 - 0.05), 1e-12);
    const auto cosine = [](double s) { return std::pow(std::cos((s + 0.008) / 1.008 * M_PI / 2), 2); };
    EXPECT_NEAR(at("cosine"), cosine(0.5) / cosine(0), 1e-12);
    const auto karras = [](double low, double high, double s) {
        const double root = std::pow(low, 1.0 / 7) * (1 - s) + std::pow(high, 1.0 / 7) * s;
        return 1 / (std::pow(root, 14) + 1);
    };
    EXPECT_NEAR(at("edm"), karras(0.002, 80, 0.5) / karras(0.002, 80, 0), 1e-12);
    EXPECT_NEAR(at("cdcd"), karras(1, 300, 0.5) / karras(1, 300, 0), 1e-12);
}

TEST(ScheduleOracle, MdlmLogLinear) {
    const auto schedule = made("log-linear");
    for (const auto& entry : oracle("mdlm_loglinear")) {
        const double t = entry.at("t");
        const std::string what = entry.dump();
        expectClose(schedule->sigma(t), entry.at("sigma"), what);
        expectClose(*schedule->noiseRate(t), entry.at("dsigma"), what);
        expectClose(*schedule->maskProbability(t), entry.at("mask_prob"), what);
        expectClose(*schedule->weight(t), entry.at("weight"), what);
        EXPECT_NEAR(schedule->alpha(t), std::exp(-schedule->sigma(t)), 1e-15);
    }
}

TEST(ScheduleOracle, TimestepEmbedding) {
    for (const auto& entry : oracle("timestep_embedding")) {
        const std::vector<double> got = timestepEmbedding(entry.at("t"), entry.at("dim"));
        ASSERT_EQ(got.size(), entry.at("value").size());
        for (std::size_t i = 0; i < got.size(); ++i)
            EXPECT_NEAR(got[i], entry.at("value")[i].get<double>(), 1e-12);
    }
}

TEST(ScheduleOracle, InverseSqrtLearningRate) {
    const LearningRateSchedule schedule;
    for (const auto& [step, value] : oracle("inverse_sqrt_lr").items())
        expectClose(schedule.at(std::stoll(step)), value, step);
}

TEST(ScheduleOracle, LearningRatesOfTheMaskedModels) {
    const nlohmann::json all = read("cmlm.json");
    ASSERT_EQ(all.at("learning_rate").size(), 3u);
    for (const auto& entry : all.at("learning_rate")) {
        LearningRateSchedule schedule;
        schedule.kind = entry.at("law");
        schedule.peak = entry.at("peak");
        schedule.warmup = entry.value("warmup", 0);
        schedule.total = entry.value("steps", 0);
        for (const auto& [step, value] :
             entry.at("values").get<std::vector<std::pair<std::int64_t, double>>>())
            EXPECT_NEAR(schedule.at(step), value, 1e-8 * value) << schedule.kind << ' ' << step;
    }
}

}  // namespace
}  // namespace kurve::schedule
