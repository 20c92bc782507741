// Jobs of the pool: their order, and what becomes of those that nobody waits for.
#include "views/common/data/background.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSemaphore>
#include <QThreadPool>
#include <mutex>
#include <string>
#include <vector>

#include "tests/support/gui_app.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

/// Names in the order in which their jobs ran; the pool has one thread, which is busy until release().
class OneThread {
public:
    OneThread() : threads_(QThreadPool::globalInstance()->maxThreadCount()) {
        QThreadPool::globalInstance()->setMaxThreadCount(1);
        QThreadPool::globalInstance()->start([this] { gate_.acquire(); });
    }
    ~OneThread() {
        release();
        QThreadPool::globalInstance()->setMaxThreadCount(threads_);
    }
    void note(const std::string& name) {
        const std::lock_guard lock(guard_);
        names_.push_back(name);
    }
    std::vector<std::string> release() {
        gate_.release();
        QThreadPool::globalInstance()->waitForDone();
        QCoreApplication::processEvents();
        return names_;
    }

private:
    int threads_;
    QSemaphore gate_;
    std::mutex guard_;
    std::vector<std::string> names_;
};

TEST(Background, WhatIsShownRunsBeforeWhatIsForLater) {
    test::guiApp();
    OneThread pool;
    Background later(JobKind::Later), shown, write(JobKind::Write);
    const auto noted = [&pool](const char* name) {
        return [&pool, name] {
            pool.note(name);
            return 0;
        };
    };
    later.run(noted("later"), [](int) {});
    shown.run(noted("shown"), [](int) {});
    write.run(noted("write"), [](int) {});
    EXPECT_THAT(pool.release(), ElementsAre("write", "shown", "later"));
}

TEST(Background, AJobThatNobodyWaitsForIsLeftOutUnlessItWrites) {
    test::guiApp();
    OneThread pool;
    int answers = 0;
    {
        Background read, write(JobKind::Write);
        const auto noted = [&pool](const char* name) {
            return [&pool, name] {
                pool.note(name);
                return 0;
            };
        };
        const auto count = [&answers](int) { ++answers; };
        read.run(noted("first read"), count);
        read.run(noted("second read"), count);
        write.run(noted("first write"), count);
        write.run(noted("second write"), count);
    }
    EXPECT_THAT(pool.release(), ElementsAre("first write", "second write"));
    EXPECT_EQ(answers, 0) << "their owners are gone";
}

TEST(Background, ANewerRequestAsksTheRunningOneToStopAndCancelLetsItAnswer) {
    test::guiApp();
    QSemaphore started;
    const auto untilStopped = [&started](const CancelToken& cancel) {
        started.release();
        while (!cancel.requested()) QThread::yieldCurrentThread();
        return 1;
    };
    std::vector<int> answers;
    Background work;
    work.run(untilStopped, [&](int answer) { answers.push_back(answer); });
    started.acquire();
    work.run([](const CancelToken& cancel) { return cancel.requested() ? 3 : 2; },
             [&](int answer) { answers.push_back(answer); });
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
    EXPECT_THAT(answers, ElementsAre(2)) << "the first ended, and its answer was of no use";
    work.run(untilStopped, [&](int answer) { answers.push_back(answer); });
    started.acquire();
    work.cancel();
    ASSERT_TRUE(test::waitFor([&] { return answers.size() == 2; }));
    EXPECT_EQ(answers.back(), 1);
}

}  // namespace
}  // namespace kurve::views
