#include "views/common/shell/linked_playhead.h"

#include <gtest/gtest.h>

namespace kurve::views {
namespace {

TEST(LinkedPlayhead, GoesWithTheWindowBothWaysUntilItIsUnlinked) {
    Playhead window;
    window.setDenoiseSteps(10);
    window.setDenoiseStep(4);
    LinkedPlayhead view(window), other(window);
    EXPECT_EQ(view.denoiseSteps(), 10);
    EXPECT_EQ(view.denoiseStep(), 4);
    view.setDenoiseStep(6);
    EXPECT_EQ(window.denoiseStep(), 6);
    EXPECT_EQ(other.denoiseStep(), 6);
    view.setLinked(false);
    window.setDenoiseStep(2);
    view.setDenoiseStep(9);
    EXPECT_EQ(window.denoiseStep(), 2);
    EXPECT_EQ(view.denoiseStep(), 9);
    view.setTrainStep(700);
    EXPECT_EQ(window.trainStep(), 700) << "the training step is always the window's";
    window.setDenoiseSteps(5);
    EXPECT_EQ(view.denoiseStep(), 4) << "another trace is shorter";
    view.setLinked(true);
    EXPECT_EQ(view.denoiseStep(), 2);
}

TEST(LinkedPlayhead, AnOlderValueDoesNotComeBackThroughAnotherView) {
    Playhead window;
    LinkedPlayhead first(window), second(window);
    // A listener that moves the playhead while it is notified of a move, as a slider of traces does.
    QObject::connect(&first, &Playhead::trainStepChanged, [&](qint64 step) {
        if (step == 0) first.setTrainStep(1500);
        if (step == 30) first.setTrainStep(12000);
    });
    window.setTrainStep(30);
    for (const Playhead* head : {static_cast<const Playhead*>(&window), static_cast<const Playhead*>(&first),
                                 static_cast<const Playhead*>(&second)})
        EXPECT_EQ(head->trainStep(), 12000);
    window.setTrainStep(0);
    EXPECT_EQ(window.trainStep(), 1500);
    EXPECT_EQ(second.trainStep(), 1500);
}

}  // namespace
}  // namespace kurve::views
