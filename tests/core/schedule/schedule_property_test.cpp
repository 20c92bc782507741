#include <gtest/gtest.h>

#include <cmath>

#include "core/base/check.h"
#include "core/schedule/noise_schedule.h"

namespace kurve::schedule {
namespace {

/// Every schedule of the list is tested without being named here.
class EverySchedule : public testing::TestWithParam<std::string> {
protected:
    std::unique_ptr<NoiseSchedule> schedule_ = std::move(*makeSchedule(GetParam()));
    [[nodiscard]] static bool isDrawn() { return findScheduleKind(GetParam())->drawn; }
};

TEST_P(EverySchedule, KnowsItsName) {
    EXPECT_EQ(schedule_->name(), GetParam());
}

TEST_P(EverySchedule, BeginsWithDataAndEndsWithNoise) {
    if (isDrawn()) {
        EXPECT_GT(schedule_->logSnr(0), 6);  // its first point's
        EXPECT_LT(schedule_->logSnr(0), INFINITY);
    } else {
        EXPECT_EQ(schedule_->alpha(0), 1);
        EXPECT_EQ(schedule_->sigma(0), 0);
        EXPECT_EQ(schedule_->logSnr(0), INFINITY);
    }
    EXPECT_LT(schedule_->alpha(1), 0.05);
    EXPECT_LT(schedule_->logSnr(1), -6);
    EXPECT_THROW((void)schedule_->alpha(1.01), ContractError);
}

TEST_P(EverySchedule, LogSnrIsStrictlyDecreasing) {
    double previous = INFINITY;
    for (int i = 1; i <= 4001; ++i) {
        const double now = schedule_->logSnr(i / 4001.0);
        EXPECT_LT(now, previous) << "at s = " << i / 4001.0;
        previous = now;
    }
}

TEST_P(EverySchedule, PreservesVarianceOrProbability) {
    for (int i = 0; i <= 333; ++i) {
        const double s = i / 333.0, a = schedule_->alpha(s);
        if (const auto masked = schedule_->maskProbability(s))
            EXPECT_NEAR(a + *masked, 1, 1e-15);
        else
            EXPECT_NEAR(a * a + std::pow(schedule_->sigma(s), 2), 1, 1e-14) << s;
    }
}

TEST_P(EverySchedule, TablesAgree) {
    double product = 1;
    for (int i = 0; i < schedule_->discreteSteps(); ++i) {
        const auto index = static_cast<std::size_t>(i);
        const double beta = schedule_->betas()[index];
        EXPECT_GT(beta, 0);
        EXPECT_LE(beta, i + 1 < schedule_->discreteSteps() ? 0.999 : 1);  // 1: no signal is left
        product *= 1 - beta;
        EXPECT_NEAR(schedule_->alphaBars()[index], product, 1e-12);
        EXPECT_NEAR(std::pow(schedule_->alpha((i + 1.0) / schedule_->discreteSteps()), 2), product, 1e-12);
    }
}

TEST_P(EverySchedule, SamplingPositionsAscendToNoise) {
    for (const int steps : {1, 2, 20, 200}) {
        const std::vector<double> positions = samplingPositions(*schedule_, steps);
        ASSERT_EQ(positions.size(), static_cast<std::size_t>(steps));
        EXPECT_NEAR(positions.back(), 1, 1e-12);
        for (std::size_t i = 1; i < positions.size(); ++i) EXPECT_GT(positions[i], positions[i - 1]);
        EXPECT_GT(positions.front(), 0);
    }
}

TEST_P(EverySchedule, FieldsAreDocumented) {
    for (const ScheduleKind& kind : scheduleKinds()) {
        EXPECT_FALSE(kind.title.empty() || kind.doc.empty() || kind.source.empty()) << kind.id;
        for (const FieldSpec& field : kind.fields)
            EXPECT_FALSE(field.doc.empty()) << kind.id << "." << field.key;
    }
}

std::vector<std::string> everyId() {
    std::vector<std::string> ids;
    for (const ScheduleKind& kind : scheduleKinds()) ids.push_back(kind.id);
    return ids;
}

INSTANTIATE_TEST_SUITE_P(Kinds, EverySchedule, testing::ValuesIn(everyId()), [](const auto& instance) {
    std::string name = instance.param;
    std::erase(name, '-');
    return name;
});

TEST(Schedule, NoiseRateIsTheDerivative) {
    const auto schedule = std::move(*makeSchedule("log-linear"));
    for (const double s : {0.1, 0.5, 0.9}) {
        const double difference = (schedule->sigma(s + 1e-6) - schedule->sigma(s - 1e-6)) / 2e-6;
        EXPECT_NEAR(*schedule->noiseRate(s), difference, 1e-5);
        EXPECT_NEAR(*schedule->weight(s), *schedule->noiseRate(s) / std::expm1(schedule->sigma(s)), 1e-10);
    }
}

TEST(Schedule, ShiftMovesTheLogSnr) {
    const auto plain = std::move(*makeSchedule("continuous-cosine"));
    const auto noisy = std::move(*makeSchedule("continuous-cosine", {{"shift", "0.1"}}));
    EXPECT_NEAR(plain->logSnr(0.5), 0, 1e-14);
    EXPECT_NEAR(noisy->logSnr(0.3) - plain->logSnr(0.3), 2 * std::log(0.1), 1e-12);
    EXPECT_EQ(plain->logSnr(1), -INFINITY);
}

std::string codeOf(const std::string& id, const std::map<std::string, std::string>& values) {
    const auto made = makeSchedule(id, values);
    return made ? "" : made.error().code;
}

TEST(Schedule, ErrorsNameTheRemedy) {
    EXPECT_EQ(codeOf("cosin", {}), "schedule.unknown");
    EXPECT_NE(makeSchedule("cosin").error().remedy.find("did you mean cosine?"), std::string::npos);
    EXPECT_EQ(codeOf("sqrt", {{"stepz", "3"}}), "config.unknown_key");
    EXPECT_NE(makeSchedule("sqrt", {{"stepz", "3"}}).error().remedy.find("did you mean steps?"),
              std::string::npos);
    EXPECT_EQ(codeOf("sqrt", {{"steps", "many"}}), "config.wrong_type");
    EXPECT_EQ(codeOf("sqrt", {{"steps", "0"}}), "config.out_of_range");
}

TEST(Respace, AllStepsGiveBackTheTables) {
    const auto schedule = std::move(*makeSchedule("linear", {{"steps", "50"}}));
    const std::vector<ReverseStep> chain = respace(*schedule, 50);
    for (std::size_t i = 0; i < chain.size(); ++i) {
        EXPECT_EQ(chain[i].t, static_cast<int>(i));
        EXPECT_NEAR(chain[i].beta, schedule->betas()[i], 1e-12);
        EXPECT_DOUBLE_EQ(chain[i].modelTime, static_cast<double>(i) * 20);
    }
}

TEST(Respace, OneStepIsTheEstimate) {
    const auto schedule = std::move(*makeSchedule("sqrt"));
    const ReverseStep step = respace(*schedule, 1).front();
    EXPECT_EQ(step.t, 1999);
    EXPECT_DOUBLE_EQ(step.c1, 1);
    EXPECT_EQ(step.c2, 0);
    EXPECT_EQ(step.sigma, 0);
    EXPECT_THROW((void)respace(*schedule, 0), ContractError);
    EXPECT_THROW((void)respace(*schedule, 2001), ContractError);
}

TEST(Respace, RoundsHalfToEven) {
    const auto schedule = std::move(*makeSchedule("sqrt", {{"steps", "6"}}));  // 0, 2.5, 5
    EXPECT_EQ(respace(*schedule, 3)[1].t, 2);
    const auto longer = std::move(*makeSchedule("sqrt", {{"steps", "8"}}));  // 0, 3.5, 7
    EXPECT_EQ(respace(*longer, 3)[1].t, 4);
}

// The posterior of a Gaussian chain: mixing forward to t_s from t_{s-1} and back leaves the marginal variance
// as it was.
TEST(Respace, PosteriorKeepsTheMarginal) {
    const std::vector<ReverseStep> chain = respace(*std::move(*makeSchedule("cosine")), 20);
    for (std::size_t s = 1; s < chain.size(); ++s) {
        const ReverseStep& step = chain[s];
        const double mean = step.c1 + step.c2 * std::sqrt(step.alphaBar);
        EXPECT_NEAR(mean, std::sqrt(step.alphaBarPrevious), 1e-12);
        const double variance = step.c2 * step.c2 * (1 - step.alphaBar) + step.sigma * step.sigma;
        EXPECT_NEAR(variance, 1 - step.alphaBarPrevious, 1e-12);
    }
}

TEST(LearningRateSchedule, WarmsUpAndEnds) {
    for (const char* kind : {"inverse-sqrt", "cosine", "linear", "constant"}) {
        const LearningRateSchedule schedule{kind, 1e-3, 1e-7, 1e-5, 100, 1000};
        EXPECT_DOUBLE_EQ(schedule.at(0), 1e-7);
        EXPECT_NEAR(schedule.at(50), (1e-3 + 1e-7) / 2, 1e-12);
        EXPECT_DOUBLE_EQ(schedule.at(100), 1e-3);
    }
    EXPECT_NEAR((LearningRateSchedule{"cosine", 1e-3, 0, 1e-5, 100, 1000}.at(550)), (1e-3 + 1e-5) / 2, 1e-12);
    EXPECT_NEAR((LearningRateSchedule{"linear", 1e-3, 0, 1e-5, 100, 1000}.at(325)), 1e-3 - 0.25 * 99e-5,
                1e-12);
    for (const char* kind : {"cosine", "linear"}) {
        const LearningRateSchedule schedule{kind, 1e-3, 0, 1e-5, 100, 1000};
        EXPECT_NEAR(schedule.at(1000), 1e-5, 1e-15);
        EXPECT_NEAR(schedule.at(5000), 1e-5, 1e-15);
    }
    EXPECT_DOUBLE_EQ((LearningRateSchedule{"inverse-sqrt", 1e-3, 0, 0, 0, 0}.at(0)), 1e-3);
    EXPECT_THROW((void)(LearningRateSchedule{"sawtooth"}.at(20000)), ContractError);
}

TEST(Respacing, AChainOfAnotherScheduleGetsTheTimesOfTraining) {
    const auto training = std::move(*makeSchedule("sqrt")), cosine = std::move(*makeSchedule("cosine"));
    const auto chain = respace(*cosine, 20), mapped = asTrained(chain, *training);
    const double first = 1 - std::sqrt(1e-4);  // the products begin with 1
    for (std::size_t i = 4; i < 18; ++i) {
        EXPECT_EQ(mapped[i].alphaBar, chain[i].alphaBar);
        EXPECT_EQ(mapped[i].c1, chain[i].c1);
        // alpha_bar_i = (1 - sqrt((i + 1) / 2000 + 1e-4)) / first, solved for i
        const double root = 1 - chain[i].alphaBar * first, index = (root * root - 1e-4) * 2000 - 1;
        EXPECT_NEAR(mapped[i].modelTime, index / 2, 0.01) << i;
        EXPECT_EQ(mapped[i].t, std::lround(index)) << i;
    }
    const auto own = respace(*training, 20), same = asTrained(own, *training);
    for (std::size_t i = 0; i < 20; ++i) {
        EXPECT_EQ(same[i].t, own[i].t);
        EXPECT_NEAR(same[i].modelTime, own[i].modelTime, 1e-9);
    }
}

}  // namespace
}  // namespace kurve::schedule
