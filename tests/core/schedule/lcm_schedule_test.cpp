// LCM's schedules against tests/golden/oracles/make_lcm.py.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {
namespace {

TEST(LcmSchedules, HaveZeroTerminalSignal) {
    const auto golden =
        nlohmann::json::parse(std::ifstream(KURVE_SOURCE_DIR "/tests/golden/oracles/lcm.json"));
    ASSERT_EQ(golden.at("schedules").size(), 7U);
    for (const auto& of : golden.at("schedules")) {
        std::map<std::string, std::string> values{{"steps", "100"}, {"zero_terminal", "true"}};
        for (const auto& [key, value] : of.at("values").items())
            values[key] = fmt::format("{:.17g}", value.get<double>());
        const auto made = makeSchedule(of.at("kind"), values);
        ASSERT_TRUE(made) << made.error().text();
        const auto bars = (*made)->alphaBars();
        ASSERT_EQ(bars.size(), 100U);
        double product = 1;
        for (std::size_t i = 0; i < 100; ++i) {
            EXPECT_NEAR(bars[i], of.at("alpha_bar")[i].get<double>(), 1e-12) << of.at("kind") << i;
            product *= 1 - (*made)->betas()[i];
            EXPECT_NEAR(product, bars[i], 1e-12);
        }
        EXPECT_EQ(bars.back(), 0);
        EXPECT_EQ((*made)->alpha(1), 0);
        EXPECT_NEAR((*made)->alpha(0.995), std::sqrt(bars[98]) / 2, 1e-12) << "no log of nothing";
    }
}

TEST(LcmSchedules, AreAsBeforeWithoutTheRescaling) {
    EXPECT_GT(
        (*makeSchedule("quadratic", {{"steps", "100"}, {"zero_terminal", "false"}}))->alphaBars().back(),
        0.89);
}

}  // namespace
}  // namespace kurve::schedule
