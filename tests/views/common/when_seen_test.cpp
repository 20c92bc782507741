#include "views/common/when_seen.h"

#include <gtest/gtest.h>

#include <QDockWidget>
#include <QMainWindow>
#include <QStackedWidget>
#include <QTest>

#include "tests/support/gui_app.h"

namespace kurve::views {
namespace {

/// A window with two pages; the work counts on the second.
struct Pages {
    QApplication& app = test::guiApp();
    Pages() : page(new QWidget) {
        pages.addWidget(new QWidget);
        pages.addWidget(page);
        pages.resize(100, 100);
    }
    QStackedWidget pages;
    QWidget* page;
    int done = 0;
    WhenSeen work{*page, [this] { ++done; }};
};

TEST(WhenSeen, WorksAtOnceBeforeTheWindowIsShownAndWhileThePageIs) {
    Pages pages;
    pages.work.ask();
    EXPECT_EQ(pages.done, 1);
    pages.pages.setCurrentIndex(1);
    pages.pages.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&pages.pages));
    pages.work.ask();
    EXPECT_EQ(pages.done, 2);
}

TEST(WhenSeen, ManyWishesOnAnotherPageAreOneWhenItIsTurnedTo) {
    Pages pages;
    pages.pages.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&pages.pages));
    for (int i = 0; i < 5; ++i) pages.work.ask();
    QTest::qWait(20);
    EXPECT_EQ(pages.done, 0);
    pages.pages.setCurrentIndex(1);
    EXPECT_TRUE(QTest::qWaitFor([&] { return pages.done == 1; }));
    pages.pages.setCurrentIndex(0);
    pages.pages.setCurrentIndex(1);  // nothing was wished meanwhile
    QTest::qWait(20);
    EXPECT_EQ(pages.done, 1);
}

TEST(WhenSeen, ATabOfADockThatIsCoveredWaitsUntilItIsRaised) {
    test::guiApp();
    QMainWindow window;
    QDockWidget docks[2];
    for (QDockWidget& dock : docks) {
        dock.setObjectName(QStringLiteral("dock"));
        dock.setWidget(new QWidget);
        window.addDockWidget(Qt::LeftDockWidgetArea, &dock);
    }
    window.tabifyDockWidget(&docks[0], &docks[1]);
    docks[1].raise();
    int done = 0;
    WhenSeen work(*docks[0].widget(), [&done] { ++done; });
    window.resize(300, 200);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    QTest::qWait(20);
    work.ask();
    EXPECT_EQ(done, 0);
    docks[0].raise();
    EXPECT_TRUE(QTest::qWaitFor([&] { return done == 1; }));
}

}  // namespace
}  // namespace kurve::views
