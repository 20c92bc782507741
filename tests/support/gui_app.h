#pragma once

#include <QApplication>
#include <QElapsedTimer>

namespace kurve::test {

/// The process's QApplication, made at the first call unless there is one; no test needs a display.
inline QApplication& guiApp() {
    static int count = 1;
    static char name[] = "test";
    static char* arguments[] = {name, nullptr};
    if (qEnvironmentVariableIsEmpty("QT_QPA_PLATFORM")) qputenv("QT_QPA_PLATFORM", "offscreen");
    static auto* app = qApp != nullptr ? qApp : new QApplication(count, arguments);
    return *app;
}

/// Runs the event loop until the condition holds; false after `limitMs`.
template <class Condition>
bool waitFor(Condition condition, int limitMs = 10000) {
    QElapsedTimer timer;
    timer.start();
    while (!condition()) {
        if (timer.elapsed() > limitMs) return false;
        QCoreApplication::processEvents(QEventLoop::AllEvents, 10);
    }
    return true;
}

}  // namespace kurve::test
