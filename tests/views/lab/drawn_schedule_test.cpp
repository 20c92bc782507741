#include "views/schedule/drawn_schedule.h"

#include <gtest/gtest.h>

#include <cmath>

#include "views/schedule/history.h"

namespace kurve::views {
namespace {

using schedule::TimeDensity;

DrawnSchedule example(bool masking, bool zeroTerminal, schedule::FreeSettings settings = {}) {
    DrawnSchedule drawn;
    drawn.curve.masking = masking;
    drawn.curve.zeroTerminal = zeroTerminal;
    drawn.curve.points = {{0, 9}, {0.2, 3}, {0.5, 0.5}, {0.8, -3}, {1, -8}};
    drawn.settings = settings;
    return drawn;
}

TEST(DrawnSchedule, MovingAPointToItsPositionChangesNothing) {
    const std::vector<DrawnSchedule> all{example(false, false),
                                         example(false, true),
                                         example(false, false, {100, 4}),
                                         example(false, true, {100, 4}),
                                         example(false, true, {100, 4, true}),
                                         example(false, false, {100, 4, true}),
                                         example(true, false),
                                         example(true, true)};
    for (const DrawnSchedule& drawn : all) {
        const auto shown = shownPoints(drawn);
        for (std::size_t i = 1; i + 1 < shown.size(); ++i) {
            const std::pair<Pane, std::pair<double, double>> positions[] = {
                {Pane::Signal, {shown[i].t, shown[i].signal}},
                {Pane::Noise, {shown[i].t, shown[i].noise}},
                {Pane::LogSnr, {shown[i].t, shown[i].logSnr}},
                {Pane::Loss, {shown[i].logSnr, 0}}};
            for (const auto& [pane, position] : positions) {
                const auto moved = withPointMovedTo(drawn, i, pane, Hold::Times, position);
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
    const auto moved = withPointMovedTo(example(false, false), 2, Pane::Signal, Hold::Times, {0.45, 0.6});
    EXPECT_NEAR(moved.curve.points[2].logSnr, std::log(0.36 / 0.64), 1e-9);
    EXPECT_EQ(moved.curve.points[2].t, 0.45);
    const auto masked = withPointMovedTo(example(true, false), 2, Pane::Noise, Hold::Times, {0.5, 0.25});
    EXPECT_NEAR(masked.curve.points[2].logSnr, std::log(0.75 / 0.25), 1e-9);
}

TEST(DrawnSchedule, NeighboursAndClampLimitAPoint) {
    auto drawn = example(false, false);
    EXPECT_LT(withPointMovedTo(drawn, 2, Pane::LogSnr, Hold::Times, {0.5, 20}).curve.points[2].logSnr, 3);
    drawn.curve.clamp = {-8, 9};
    EXPECT_EQ(withPointMovedTo(drawn, 0, Pane::LogSnr, Hold::Times, {0, 15}).curve.points[0].logSnr, 9);
}

TEST(DrawnSchedule, DraggingTheDensityKeepsTheFixedQuantity) {
    const auto drawn = example(false, false);
    const double now = shownPoints(drawn)[2].density, wanted = 1.4 * now;
    const auto byCurve = withPointMovedTo(drawn, 2, Pane::Density, Hold::Times, {0, wanted});
    EXPECT_NEAR(shownPoints(byCurve)[2].density, wanted, 0.02 * wanted);
    EXPECT_TRUE(byCurve.times == drawn.times);
    for (std::size_t i = 0; i < 5; ++i)
        EXPECT_EQ(byCurve.curve.points[i].logSnr, drawn.curve.points[i].logSnr);
    EXPECT_GT(byCurve.curve.points[3].t - byCurve.curve.points[1].t,
              0.6);  // more time between its neighbours

    const auto byTimes = withPointMovedTo(drawn, 2, Pane::Density, Hold::Levels, {0, wanted});
    EXPECT_NEAR(shownPoints(byTimes)[2].density, wanted, 0.02 * wanted);
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
