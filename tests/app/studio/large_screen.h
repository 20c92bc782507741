#pragma once

#include <gtest/gtest.h>

#include <QCoreApplication>
#include <QGuiApplication>
#include <QProcess>
#include <QScreen>
#include <QTemporaryFile>

#include "app/studio/tour/tour.h"

namespace kurve::studio {

/// On the small screen of the tests the panels below a main view are tabs of it. Runs the present test in a
/// process with a screen of 1600 x 1000; true where that was done and the caller has nothing left to do.
inline bool doneOnLargeScreen() {
    if (QGuiApplication::primaryScreen()->size().height() >= 1000) return false;
    const auto* info = ::testing::UnitTest::GetInstance()->current_test_info();
    QTemporaryFile screen;
    EXPECT_TRUE(makeTourScreen(screen, {1600, 1000}));
    QProcess process;
    process.setProcessChannelMode(QProcess::ForwardedChannels);
    process.start(QCoreApplication::applicationFilePath(),
                  {QStringLiteral("--gtest_filter=%1.%2").arg(info->test_suite_name(), info->name())});
    EXPECT_TRUE(process.waitForFinished(100'000));
    EXPECT_EQ(process.exitCode(), 0);
    return true;
}

}  // namespace kurve::studio
