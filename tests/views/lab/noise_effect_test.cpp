#include "core/schedule/noise_effect.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/schedule/free_curve.h"
#include "tests/support/gui_app.h"
#include "views/common/services/inference.h"
#include "views/common/theme/theme.h"
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
    schedule::EffectSentence sentence{std::make_shared<curve::EmbeddingTable>(std::vector<float>{-a, a}, 1),
                                      {}};
    for (int i = 0; i < 2000; ++i) sentence.rows.push_back(i % 2);
    const auto schedule = straight(false);
    const auto rows = schedule::effectOf(*schedule, sentence, {0, 0.5, 0.75, 1}, 4);
    ASSERT_EQ(rows.size(), 4u);
    for (const schedule::EffectRow& row : rows) {
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
    schedule::EffectSentence sentence{std::make_shared<curve::EmbeddingTable>(std::vector<float>{-1, 1}, 1),
                                      {}};
    for (int i = 0; i < 200; ++i) sentence.rows.push_back(1);
    const auto rows = schedule::effectOf(*straight(false), sentence, {0.4, 0.5, 0.6}, 1);
    for (std::size_t i = 0; i < 200; ++i)  // what has crossed over stays there when the noise grows
        for (std::size_t k = 1; k < 3; ++k) EXPECT_LE(rows[k].nearest[i], rows[k - 1].nearest[i]);
}

TEST(NoiseEffect, TheFractionIsShownWithItsError) {
    schedule::EffectRow row;
    row.survival = 0.738;
    row.error = 0.031;
    EXPECT_EQ(fractionText(row).toStdString(), "<b>74&nbsp;±&nbsp;3&nbsp;%</b>");
    row.error = 0.004;
    EXPECT_EQ(fractionText(row).toStdString(), "<b>74&nbsp;%</b>");
}

TEST(NoiseEffect, AVectorHasTheNoiseOfTheScheduleBesideItsSignal) {
    const auto schedule = straight(false);
    for (const double t : {0.2, 0.5, 0.8})
        EXPECT_NEAR(noiseOnVector(*schedule, t), std::exp(-schedule->logSnr(t) / 2), 1e-9) << t;
    const auto cosine = std::move(*schedule::makeSchedule("cosine", {{"zero_terminal", "true"}}));
    EXPECT_TRUE(std::isfinite(noiseOnVector(*cosine, 1))) << "without any signal";
}

TEST(NoiseEffect, WordsSurviveWhereTheyStood) {
    const schedule::EffectRow row =
        writtenRow("They sat down.", {"They sat down.", "They down.", "They sat down there."});
    EXPECT_DOUBLE_EQ(row.survival, (1 + 1. / 3 + 2. / 4) / 3);
    EXPECT_EQ(row.draws, 3);
    EXPECT_EQ(row.written, "They sat down.");
    EXPECT_EQ(keptWords({"They", "sat"}, {"They", "ran", "off"}), (std::vector<bool>{true, false, false}));
    EXPECT_EQ(writtenRow("They sat.", {"", ""}).survival, 0);
}

/// Writes the text back without its last word once the noise is above 1.
struct FakeInference : Inference {
    void ask(InferenceRequest request, Done done, QObject*) override {
        requests.push_back(request);
        const bool noisy = request.body["sampler"]["noise"] > 1;
        nlohmann::json samples = nlohmann::json::array();
        for (const std::string input : request.body["input"])
            samples.push_back({{"output", noisy ? input.substr(0, input.rfind(' ')) + " sea." : input}});
        done(fails ? Result<nlohmann::json>(workError("engine.failed", "no engine"))
                   : Result<nlohmann::json>(nlohmann::json{{"samples", samples}}));
    }
    std::vector<InferenceRequest> requests;
    bool fails = false;
};

TEST(NoiseEffect, ADecoderWritesWhatItReadsFromTheNoisyVector) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    FakeInference engine;
    const StudioContext context;
    context.services->offer<Inference>(engine);
    EffectStrip strip(context);
    strip.resize(700, 240);
    schedule::LabSchedule schedule;
    schedule.kind = "cosine";
    strip.setSchedule(schedule);
    strip.setRun(nullptr, {{QStringLiteral("Leo ran home."), "none"}}, TextDecoder{"words", "1500"});
    EXPECT_TRUE(engine.requests.empty()) << "nobody looks";
    strip.show();
    const auto fraction = [&](int row) {
        return strip.findChild<QLabel*>(QStringLiteral("schedule.effect.survival.%1").arg(row))->text();
    };
    ASSERT_TRUE(test::waitFor([&] { return fraction(6).contains("67"); })) << fraction(6).toStdString();
    EXPECT_TRUE(fraction(0).contains("100"));
    ASSERT_EQ(engine.requests.size(), 7U);
    EXPECT_EQ(engine.requests[0].run, "words");
    EXPECT_EQ(engine.requests[0].checkpoint, "1500");
    EXPECT_EQ(engine.requests[0].type, "sample");
    const auto made = schedule.make();
    EXPECT_NEAR(engine.requests[3].body["sampler"]["noise"].get<double>(),
                made->sigma(0.45) / made->alpha(0.45), 1e-9);
    // Another schedule asks again; a mask schedule cannot.
    schedule.kind = "linear";
    strip.setSchedule(schedule);
    EXPECT_TRUE(test::waitFor([&] { return engine.requests.size() == 14U; }));
    auto* note = strip.findChild<QLabel*>("schedule.effect.note");
    schedule.kind = "log-linear";
    strip.setSchedule(schedule);
    EXPECT_TRUE(note->text().contains("mask schedule")) << note->text().toStdString();
    engine.fails = true;
    schedule.kind = "sqrt";
    strip.setSchedule(schedule);
    EXPECT_TRUE(test::waitFor([&] { return note->text().contains("no engine"); }));
}

TEST(NoiseEffect, MaskSchedulesMaskAndNeedNoVectors) {
    schedule::EffectSentence sentence;
    for (int i = 0; i < 1000; ++i) sentence.rows.push_back(i);
    const auto rows = schedule::effectOf(*straight(true), sentence, {0.5}, 1);
    ASSERT_EQ(rows.size(), 1u);
    EXPECT_EQ(rows[0].survival, 0.5);
    EXPECT_EQ(rows[0].draws, 0) << "exact";
    const auto masked = std::count(rows[0].nearest.begin(), rows[0].nearest.end(), -1);
    EXPECT_NEAR(static_cast<double>(masked), 500, 4 * std::sqrt(250.0));
}

}  // namespace
}  // namespace kurve::views
