// The newest of many requests, answered on a worker.
#include "views/common/data/latest.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QSemaphore>
#include <QThread>
#include <mutex>
#include <vector>

#include "tests/support/gui_app.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// Squares numbers, each only when the gate lets it through.
struct Squares {
    QSemaphore started, gate;
    std::mutex guard;
    std::vector<int> computed;
    QThread* thread = nullptr;

    int square(int request) {
        {
            const std::lock_guard lock(guard);
            computed.push_back(request);
            thread = QThread::currentThread();
        }
        started.release();
        gate.acquire();
        return request * request;
    }
    std::vector<int> computedSoFar() {
        const std::lock_guard lock(guard);
        return computed;
    }
};

TEST(Latest, SkipsWhatWasOvertakenAndEndsWithTheLastWish) {
    test::guiApp();
    const auto squares = std::make_shared<Squares>();
    std::vector<int> shown;
    Latest<int, int> latest([squares](int request) { return squares->square(request); },
                            [&](int answer) { shown.push_back(answer); });
    latest.request(1);
    squares->started.acquire();
    for (const int request : {2, 3, 4}) latest.request(request);
    QCoreApplication::processEvents();
    EXPECT_THAT(shown, IsEmpty()) << "the GUI thread must not have waited for an answer";
    EXPECT_TRUE(latest.working());
    squares->gate.release(4);
    ASSERT_TRUE(test::waitFor([&] { return !latest.working(); }));
    EXPECT_THAT(shown, ElementsAre(1, 16));
    EXPECT_THAT(squares->computedSoFar(), ElementsAre(1, 4));
    EXPECT_NE(squares->thread, QThread::currentThread());
    latest.request(5);
    ASSERT_TRUE(test::waitFor([&] { return !latest.working(); }));
    EXPECT_THAT(shown, ElementsAre(1, 16, 25));
}

TEST(Latest, SaysNothingAfterItsEnd) {
    test::guiApp();
    const auto squares = std::make_shared<Squares>();
    std::vector<int> shown;
    {
        Latest<int, int> latest([squares](int request) { return squares->square(request); },
                                [&](int answer) { shown.push_back(answer); });
        latest.request(1);
        squares->started.acquire();
        latest.request(2);
    }
    squares->gate.release(2);
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
    EXPECT_THAT(shown, IsEmpty());
    EXPECT_THAT(squares->computedSoFar(), ElementsAre(1));
}

}  // namespace
}  // namespace kurve::views
