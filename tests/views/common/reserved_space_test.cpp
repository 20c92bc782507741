// Frequently changing texts neither lay out the window again nor are set more often than they can be read.
#include "views/common/shell/reserved_space.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>
#include <QVBoxLayout>
#include <memory>

#include "tests/support/gui_app.h"
#include "views/common/shell/at_most_every.h"

namespace kurve::views {
namespace {

class LayoutCount : public QObject {
public:
    int count = 0;

protected:
    bool eventFilter(QObject*, QEvent* event) override {
        count += event->type() == QEvent::LayoutRequest;
        return false;
    }
};

class ReservedSpaceTest : public ::testing::Test {
protected:
    void SetUp() override {
        label_ = new QLabel(QStringLiteral("Step 1 of 3"));
        label_->setWordWrap(true);
        space_ = new ReservedSpace(label_);
        auto* layout = new QVBoxLayout(&window_);
        layout->addWidget(space_);
        layout->addStretch(1);
        window_.resize(200, 300);
        window_.show();
        ASSERT_TRUE(QTest::qWaitForWindowExposed(&window_));
        QCoreApplication::processEvents();
        window_.installEventFilter(&requests_);
    }
    QApplication& app_ = test::guiApp();  // before the first widget
    QWidget window_;
    QLabel* label_ = nullptr;
    ReservedSpace* space_ = nullptr;
    LayoutCount requests_;
};

TEST_F(ReservedSpaceTest, ATextOfTheSameHeightCausesNoLayout) {
    const QSize before = label_->size();
    label_->setText(QStringLiteral("Step 2 of 3"));
    QTest::qWait(20);
    EXPECT_EQ(requests_.count, 0);
    EXPECT_EQ(label_->size(), before);
}

TEST_F(ReservedSpaceTest, FollowsTheHeightOfTheText) {
    const int line = space_->height();
    const QString longer = QStringLiteral("a text that needs some lines ").repeated(6);
    label_->setText(longer);
    QTest::qWait(20);
    EXPECT_GE(requests_.count, 1);
    EXPECT_GE(label_->height(), label_->heightForWidth(label_->width()));
    EXPECT_GT(space_->height(), 2 * line);
    label_->setText(QStringLiteral("short"));
    QTest::qWait(20);
    EXPECT_EQ(space_->height(), line);
}

TEST_F(ReservedSpaceTest, AHiddenChangeAppliesWhenItIsShown) {
    window_.hide();
    QCoreApplication::processEvents();
    label_->setText(QStringLiteral("a text that needs some lines ").repeated(6));
    QTest::qWait(20);
    window_.show();
    QTest::qWait(20);
    EXPECT_EQ(space_->height(), label_->heightForWidth(label_->width()));
}

TEST(AtMostEvery, TheFirstRequestRunsAtOnceAndLaterOnesTogether) {
    test::guiApp();
    int done = 0;
    AtMostEvery throttled(300, [&done] { ++done; });
    throttled.request();
    EXPECT_EQ(done, 1);
    for (int i = 0; i < 5; ++i) throttled.request();
    EXPECT_EQ(done, 1);
    EXPECT_TRUE(QTest::qWaitFor([&] { return done == 2; }, 10000)) << "the last request is not lost";
    QTest::qWait(700);
    EXPECT_EQ(done, 2) << "nothing was requested since";
    throttled.request();
    EXPECT_EQ(done, 3);
}

TEST(AtMostEvery, RestartRunsAPendingRequestAtOnce) {
    test::guiApp();
    int done = 0;
    AtMostEvery throttled(60'000, [&done] { ++done; });
    throttled.request();
    throttled.request();
    ASSERT_EQ(done, 1);
    throttled.restart();
    EXPECT_EQ(done, 2) << "the pending request";
    throttled.restart();
    EXPECT_EQ(done, 2);
    throttled.request();
    EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace kurve::views
