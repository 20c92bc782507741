#include "core/schedule/drawn_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "views/schedule/history.h"

namespace kurve::views {
namespace {

using schedule::TimeDensity;

schedule::DrawnSchedule example(bool masking, bool zeroTerminal, schedule::FreeSettings settings = {}) {
    schedule::DrawnSchedule drawn;
    drawn.curve.masking = masking;
    drawn.curve.zeroTerminal = zeroTerminal;
    drawn.curve.points = {{0, 9}, {0.2, 3}, {0.5, 0.5}, {0.8, -3}, {1, -8}};
    drawn.settings = settings;
    return drawn;
}

TEST(DrawnSchedule, MovingAPointToItsPositionChangesNothing) {
    const std::vector<schedule::DrawnSchedule> all{example(false, false),
                                                   example(false, true),
                                                   example(false, false, {100, 4}),
                                                   example(false, true, {100, 4}),
                                                   example(false, true, {100, 4, true}),
                                                   example(false, false, {100, 4, true}),
                                                   example(true, false),
                                                   example(true, true)};
    for (const schedule::DrawnSchedule& drawn : all) {
        const auto shown = schedule::shownPoints(drawn);
        for (std::size_t i = 1; i + 1 < shown.size(); ++i) {
            const std::pair<schedule::Pane, std::pair<double, double>> positions[] = {
                {schedule::Pane::Signal, {shown[i].t, shown[i].signal}},
                {schedule::Pane::Noise, {shown[i].t, shown[i].noise}},
                {schedule::Pane::LogSnr, {shown[i].t, shown[i].logSnr}},
                {schedule::Pane::Loss, {shown[i].logSnr, 0}}};
            for (const auto& [pane, position] : positions) {
                const auto moved =
                    schedule::withPointMovedTo(drawn, i, pane, schedule::Hold::Times, position);
                EXPECT_NEAR(moved.curve.points[i].logSnr, drawn.curve.points[i].logSnr, 1e-6)
                    << "point " << i << " pane " << static_cast<int>(pane) << " zero "
                    << drawn.curve.zeroTerminal << " mask " << drawn.curve.masking << " F "
                    << drawn.settings.noiseFactor << " bent " << drawn.settings.bend;
                EXPECT_DOUBLE_EQ(moved.curve.points[i].t, drawn.curve.points[i].t);
            }
        }
    }
}

TEST(DrawnSchedule, AnAmplitudeBecomesItsLogSnr) {
    const auto moved = schedule::withPointMovedTo(example(false, false), 2, schedule::Pane::Signal,
                                                  schedule::Hold::Times, {0.45, 0.6});
    EXPECT_NEAR(moved.curve.points[2].logSnr, std::log(0.36 / 0.64), 1e-9);
    EXPECT_EQ(moved.curve.points[2].t, 0.45);
    const auto masked = schedule::withPointMovedTo(example(true, false), 2, schedule::Pane::Noise,
                                                   schedule::Hold::Times, {0.5, 0.25});
    EXPECT_NEAR(masked.curve.points[2].logSnr, std::log(0.75 / 0.25), 1e-9);
}

TEST(DrawnSchedule, NeighboursAndClampLimitAPoint) {
    auto drawn = example(false, false);
    EXPECT_LT(schedule::withPointMovedTo(drawn, 2, schedule::Pane::LogSnr, schedule::Hold::Times, {0.5, 20})
                  .curve.points[2]
                  .logSnr,
              3);
    drawn.curve.clamp = {-8, 9};
    EXPECT_EQ(schedule::withPointMovedTo(drawn, 0, schedule::Pane::LogSnr, schedule::Hold::Times, {0, 15})
                  .curve.points[0]
                  .logSnr,
              9);
}

TEST(DrawnSchedule, DraggingTheDensityKeepsTheFixedQuantity) {
    const auto drawn = example(false, false);
    const double now = schedule::shownPoints(drawn)[2].density, wanted = 1.4 * now;
    const auto byCurve =
        schedule::withPointMovedTo(drawn, 2, schedule::Pane::Density, schedule::Hold::Times, {0, wanted});
    EXPECT_NEAR(schedule::shownPoints(byCurve)[2].density, wanted, 0.02 * wanted);
    EXPECT_TRUE(byCurve.times == drawn.times);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(byCurve.curve.points[i].logSnr, drawn.curve.points[i].logSnr);
    EXPECT_GT(byCurve.curve.points[3].t - byCurve.curve.points[1].t,
              0.6);  // more time between its neighbours

    const auto byTimes =
        schedule::withPointMovedTo(drawn, 2, schedule::Pane::Density, schedule::Hold::Levels, {0, wanted});
    EXPECT_NEAR(schedule::shownPoints(byTimes)[2].density, wanted, 0.02 * wanted);
    EXPECT_TRUE(byTimes.curve == drawn.curve);
    EXPECT_NEAR(byTimes.times.density(0.5), 1.4, 0.02);  // of uniform times
    EXPECT_DOUBLE_EQ(byTimes.times.cumulative(1), 1);
}

TEST(History, ChangesOfOneTagAreOneStep) {
    History<int> history;
    history.reset(1);
    history.record(2, "drag 1");
    history.record(3, "drag 1");
    history.record(4, "");
    history.record(5, "");
    EXPECT_EQ(history.undo(), 4);
    EXPECT_EQ(history.undo(), 3);
    EXPECT_EQ(history.undo(), 1);
    EXPECT_FALSE(history.canUndo());
    EXPECT_EQ(history.redo(), 3);
    history.record(9, "drag 1");  // after going back a new step begins
    EXPECT_FALSE(history.canRedo());
    EXPECT_EQ(history.undo(), 3);
}

}  // namespace
}  // namespace kurve::views
