#include "views/common/shell/on_first_show.h"

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
    OnFirstShow work{*page, [this] { ++done; }};
};

TEST(OnFirstShow, RunsAtOnceBeforeTheWindowIsShownAndWhileThePageIsVisible) {
    Pages pages;
    pages.work.request();
    EXPECT_EQ(pages.done, 1);
    pages.pages.setCurrentIndex(1);
    pages.pages.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&pages.pages));
    pages.work.request();
    EXPECT_EQ(pages.done, 2);
}

TEST(OnFirstShow, RequestsOnAHiddenPageRunOnceWhenItIsShown) {
    Pages pages;
    pages.pages.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&pages.pages));
    for (int i = 0; i < 5; ++i) pages.work.request();
    QTest::qWait(20);
    EXPECT_EQ(pages.done, 0);
    pages.pages.setCurrentIndex(1);
    EXPECT_TRUE(QTest::qWaitFor([&] { return pages.done == 1; }));
    pages.pages.setCurrentIndex(0);
    pages.pages.setCurrentIndex(1);  // nothing was requested meanwhile
    QTest::qWait(20);
    EXPECT_EQ(pages.done, 1);
}

TEST(OnFirstShow, ACoveredDockTabDefersUntilItIsRaised) {
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
    OnFirstShow work(*docks[0].widget(), [&done] { ++done; });
    window.resize(300, 200);
    window.show();
    ASSERT_TRUE(QTest::qWaitForWindowExposed(&window));
    QTest::qWait(20);
    work.request();
    EXPECT_EQ(done, 0);
    docks[0].raise();
    EXPECT_TRUE(QTest::qWaitFor([&] { return done == 1; }));
}

}  // namespace
}  // namespace kurve::views
