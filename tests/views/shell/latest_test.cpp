// The newest of many wishes, answered on a worker.
#include "views/common/latest.h"

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

    int square(int wish) {
        {
            const std::lock_guard lock(guard);
            computed.push_back(wish);
            thread = QThread::currentThread();
        }
        started.release();
        gate.acquire();
        return wish * wish;
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
    Latest<int, int> latest([squares](int wish) { return squares->square(wish); },
                            [&](int answer) { shown.push_back(answer); });
    latest.ask(1);
    squares->started.acquire();
    for (const int wish : {2, 3, 4}) latest.ask(wish);
    QCoreApplication::processEvents();
    EXPECT_THAT(shown, IsEmpty()) << "the GUI thread must not have waited for an answer";
    EXPECT_TRUE(latest.working());
    squares->gate.release(4);
    ASSERT_TRUE(test::waitFor([&] { return !latest.working(); }));
    EXPECT_THAT(shown, ElementsAre(1, 16));
    EXPECT_THAT(squares->computedSoFar(), ElementsAre(1, 4));
    EXPECT_NE(squares->thread, QThread::currentThread());
    latest.ask(5);
    ASSERT_TRUE(test::waitFor([&] { return !latest.working(); }));
    EXPECT_THAT(shown, ElementsAre(1, 16, 25));
}

TEST(Latest, SaysNothingAfterItsEnd) {
    test::guiApp();
    const auto squares = std::make_shared<Squares>();
    std::vector<int> shown;
    {
        Latest<int, int> latest([squares](int wish) { return squares->square(wish); },
                                [&](int answer) { shown.push_back(answer); });
        latest.ask(1);
        squares->started.acquire();
        latest.ask(2);
    }
    squares->gate.release(2);
    QThreadPool::globalInstance()->waitForDone();
    QCoreApplication::processEvents();
    EXPECT_THAT(shown, IsEmpty());
    EXPECT_THAT(squares->computedSoFar(), ElementsAre(1));
}

}  // namespace
}  // namespace kurve::views
