#include "views/schedule/noise_effect.h"

#include <gtest/gtest.h>

#include <cmath>

#include "core/schedule/free_curve.h"
#include "views/schedule/effect_strip.h"

namespace kurve::views {
namespace {

std::unique_ptr<schedule::NoiseSchedule> straight(bool masking) {
    schedule::FreeCurve curve;
    curve.masking = masking;
    curve.points = {{0, 8}, {1, -8}};
    return makeFreeSchedule(curve);
}

/// Two tokens at -a and a in one dimension: a token survives where the noise does not cross 0.
TEST(NoiseEffect, SurvivalOfTwoTokensIsTheNormalDistributions) {
    const float a = 1.5F;
    EffectSentence sentence{std::make_shared<curve::EmbeddingTable>(std::vector<float>{-a, a}, 1), {}};
    for (int i = 0; i < 2000; ++i) sentence.rows.push_back(i % 2);
    const auto schedule = straight(false);
    const auto rows = effectOf(*schedule, sentence, {0, 0.5, 0.75, 1}, 4);
    ASSERT_EQ(rows.size(), 4u);
    for (const EffectRow& row : rows) {
        const double ratio = std::exp(-row.logSnr / 2);  // sigma / alpha
        const double expected = std::erfc(-a / ratio / std::sqrt(2.0)) / 2;
        EXPECT_NEAR(row.survival, expected, 4 * std::sqrt(expected * (1 - expected) / 8000) + 1e-4) << row.t;
        EXPECT_EQ(row.nearest.size(), 2000u);
        EXPECT_EQ(row.draws, 4);
        // The standard deviation of four draws is inaccurate.
        const double error = std::sqrt(expected * (1 - expected) / 8000);
        EXPECT_LE(row.error, 3 * error + 1e-9);
        if (error > 1e-3) EXPECT_GT(row.error, error / 5);
    }
    EXPECT_EQ(rows[1].logSnr, 0);
}

TEST(NoiseEffect, TheNoiseOfADrawIsTheSameAtEveryLevel) {
    EffectSentence sentence{std::make_shared<curve::EmbeddingTable>(std::vector<float>{-1, 1}, 1), {}};
    for (int i = 0; i < 200; ++i) sentence.rows.push_back(1);
    const auto rows = effectOf(*straight(false), sentence, {0.4, 0.5, 0.6}, 1);
    for (std::size_t i = 0; i < 200; ++i)  // what has crossed over stays there when the noise grows
        for (std::size_t k = 1; k < 3; ++k) EXPECT_LE(rows[k].nearest[i], rows[k - 1].nearest[i]);
}

TEST(NoiseEffect, TheFractionIsShownWithItsError) {
    EffectRow row;
    row.survival = 0.738;
    row.error = 0.031;
    EXPECT_EQ(fractionText(row).toStdString(), "<b>74&nbsp;±&nbsp;3&nbsp;%</b>");
    row.error = 0.004;
    EXPECT_EQ(fractionText(row).toStdString(), "<b>74&nbsp;%</b>");
}

TEST(NoiseEffect, MaskSchedulesMaskAndNeedNoVectors) {
    EffectSentence sentence;
    for (int i = 0; i < 1000; ++i) sentence.rows.push_back(i);
    const auto rows = effectOf(*straight(true), sentence, {0.5}, 1);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].survival, 0.5);
    EXPECT_EQ(rows[0].draws, 0) << "exact";
    const auto masked = std::count(rows[0].nearest.begin(), rows[0].nearest.end(), -1);
    EXPECT_NEAR(static_cast<double>(masked), 500, 4 * std::sqrt(250.0));
}

}  // namespace
}  // namespace kurve::views
