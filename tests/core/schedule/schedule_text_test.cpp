#include "core/schedule/schedule_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

namespace kurve::schedule {
namespace {

TEST(ScheduleText, TheTableHasOneLinePerTrainingStep) {
    const auto linear = std::move(*makeSchedule("linear", {{"steps", "50"}}));
    const std::string text = tableText(*linear);
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 52);  // head, t = 0, 50 steps
    EXPECT_TRUE(text.starts_with("t,alpha,sigma,log_snr\n0,1,0,inf\n"));
    std::istringstream lines(text);
    std::string line;
    for (int i = 0; i < 27; ++i) std::getline(lines, line);
    double t = 0, alpha = 0;
    ASSERT_EQ(std::sscanf(line.c_str(), "%lf,%lf", &t, &alpha), 2);
    EXPECT_EQ(t, 0.5);
    EXPECT_NEAR(alpha * alpha, linear->alphaBars()[24], 1e-15);
}

TEST(ScheduleText, TheInitialiserHoldsTheTables) {
    FreeCurve curve;
    curve.points = {{0, 4}, {1, -4}};
    const std::string text = initialiserText(curve, *makeFreeSchedule(curve, {2, 1, false}));
    EXPECT_NE(text.find("std::array<double, 2> kTime{\n    0.0, 1.0\n};"), std::string::npos) << text;
    EXPECT_NE(text.find("std::array<double, 2> kLogSnr{\n    4.0, -4.0\n};"), std::string::npos) << text;
    // alpha_bar(1/2) = 1/2 and alpha_bar(1) = 1 / (1 + e^4)
    EXPECT_NE(text.find("kAlphaBar{\n    0.5000000000000001, 0.017986"), std::string::npos) << text;
    const auto mask = std::move(*makeSchedule("log-linear"));
    EXPECT_NE(initialiserText(*mask).find("std::array<double, 1001> kMasked"), std::string::npos);
}

}  // namespace
}  // namespace kurve::schedule
