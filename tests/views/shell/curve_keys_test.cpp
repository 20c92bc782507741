#include "views/monitor/curve_keys.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

/// A run whose "loss" and "grad_norm" were logged together, and "valid_loss" at every other step.
class CurveKeysTest : public ::testing::Test {
protected:
    void log(std::int64_t step) {
        step_.push_back(step);
        wall_.push_back(1000 + 2.0 * static_cast<double>(step));
        value_.push_back(1);
        auto data = std::make_shared<RunData>();
        data->summary.id = "run";
        data->summary.started = 1000;
        for (const char* metric : {"loss", "grad_norm"})
            data->series[metric] = std::make_shared<store::Series>(store::Series{step_, wall_, value_});
        auto valid = std::make_shared<store::Series>();
        for (std::size_t i = 0; i < step_.size(); i += 2) {
            valid->step.push_back(step_[i]);
            valid->wall.push_back(wall_[i]);
            valid->value.push_back(2);
        }
        data->series["valid_loss"] = valid;
        run_ = data;
    }

    GrowingList<std::int64_t> step_;
    GrowingList<double> wall_, value_;
    std::shared_ptr<const RunData> run_;
    CurveKeys keys_;
};

TEST_F(CurveKeysTest, MetricsOfTheSameStepsHaveOneList) {
    for (std::int64_t step = 1; step <= 1000; ++step) {
        log(step);
        const GrowingList<double> loss = keys_.of(run_, "loss");
        ASSERT_TRUE(loss.isSameAs(keys_.of(run_, "grad_norm"))) << step;
        ASSERT_EQ(loss.back(), static_cast<double>(step));
        ASSERT_EQ(loss.size(), static_cast<std::size_t>(step));
    }
    EXPECT_EQ(keys_.of(run_, "valid_loss").size(), 500U);
    EXPECT_EQ(keys_.of(run_, "valid_loss").back(), 999);
    EXPECT_TRUE(keys_.of(run_, "lr").empty());
}

TEST_F(CurveKeysTest, OnAnotherAxisTheyAreThoseOfTheRunAsItIsNow) {
    keys_.setAxis({RunAxis::Kind::Training, {}});
    log(1);
    log(2);
    EXPECT_THAT(keys_.of(run_, "loss"), ElementsAre(2, 4));
    EXPECT_TRUE(GrowingList<double>(keys_.of(run_, "loss")).isSameAs(keys_.of(run_, "grad_norm")));
    log(4);
    EXPECT_THAT(keys_.of(run_, "grad_norm"), ElementsAre(2, 4, 8));
    auto later = std::make_shared<RunData>(*run_);
    later->summary.started = 999;
    EXPECT_THAT(keys_.of(later, "loss"), ElementsAre(3, 5, 9)) << "the steps alone do not tell";
}

TEST_F(CurveKeysTest, TrainingTimeIsOneClockOfAllCurvesWithoutPauses) {
    keys_.setAxis({RunAxis::Kind::Training, {}});
    for (const std::int64_t step : {50, 100, 150, 200}) log(step);
    EXPECT_THAT(keys_.of(run_, "loss"), ElementsAre(100, 200, 300, 400));
    EXPECT_THAT(keys_.of(run_, "valid_loss"), ElementsAre(100, 300));
    auto slept = std::make_shared<RunData>(*run_);
    slept->events = {{1, 150, 1300, "suspended", "100 s"}};
    EXPECT_THAT(keys_.of(slept, "loss"), ElementsAre(100, 200, 200, 300));
    auto resumed = std::make_shared<RunData>(*run_);
    resumed->events = {{1, 100, 1200, "paused", ""}, {2, 100, 1240, "resumed", ""}};
    resumed->segments = {{1, 0, 1000, "started"}, {2, 151, 1390, "resumed"}};
    EXPECT_THAT(keys_.of(resumed, "loss"), ElementsAre(100, 200, 260, 270));
    EXPECT_THAT(keys_.of(resumed, "valid_loss"), ElementsAre(100, 260));
    const store::Series abandoned{{160, 170}, {1320, 1340}, {1, 1}};
    EXPECT_THAT(keys_.axis().of(*resumed, abandoned), ElementsAre(280, 300)) << "goes on from step 150";
}

TEST_F(CurveKeysTest, StepsThatBeginAnewReplaceTheOld) {
    log(5);
    log(6);
    EXPECT_THAT(keys_.of(run_, "loss"), ElementsAre(5, 6));
    step_.clear();
    wall_.clear();
    value_.clear();
    log(4);
    log(6);
    EXPECT_THAT(keys_.of(run_, "loss"), ElementsAre(4, 6));
}

}  // namespace
}  // namespace kurve::views
