// Texts that change while a run trains neither lay the window out again nor are set oftener than they can be
// read.
#include "views/common/steady_room.h"

#include <gtest/gtest.h>

#include <QLabel>
#include <QTest>
#include <QVBoxLayout>
#include <memory>

#include "tests/support/gui_app.h"
#include "views/common/at_most_every.h"

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

class SteadyRoomTest : public ::testing::Test {
protected:
    void SetUp() override {
        label_ = new QLabel(QStringLiteral("Step 1 of 3"));
        label_->setWordWrap(true);
        room_ = new SteadyRoom(label_);
        auto* layout = new QVBoxLayout(&window_);
        layout->addWidget(room_);
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
    SteadyRoom* room_ = nullptr;
    LayoutCount requests_;
};

TEST_F(SteadyRoomTest, ATextOfTheSameHeightLaysNothingOut) {
    const QSize before = label_->size();
    label_->setText(QStringLiteral("Step 2 of 3"));
    QTest::qWait(20);
    EXPECT_EQ(requests_.count, 0);
    EXPECT_EQ(label_->size(), before);
}

TEST_F(SteadyRoomTest, ALongerTextGetsItsRoomAndAShorterGivesItBack) {
    const int line = room_->height();
    const QString longer = QStringLiteral("a text that needs some lines ").repeated(6);
    label_->setText(longer);
    QTest::qWait(20);
    EXPECT_GE(requests_.count, 1);
    EXPECT_GE(label_->height(), label_->heightForWidth(label_->width()));
    EXPECT_GT(room_->height(), 2 * line);
    label_->setText(QStringLiteral("short"));
    QTest::qWait(20);
    EXPECT_EQ(room_->height(), line);
}

TEST_F(SteadyRoomTest, WhatChangedOutOfSightHasItsRoomWhenItIsShown) {
    window_.hide();
    QCoreApplication::processEvents();
    label_->setText(QStringLiteral("a text that needs some lines ").repeated(6));
    QTest::qWait(20);
    window_.show();
    QTest::qWait(20);
    EXPECT_EQ(room_->height(), label_->heightForWidth(label_->width()));
}

TEST(AtMostEvery, TheFirstWishIsMetAtOnceAndManyMoreTogether) {
    test::guiApp();
    int done = 0;
    AtMostEvery seldom(300, [&done] { ++done; });
    seldom.ask();
    EXPECT_EQ(done, 1);
    for (int i = 0; i < 5; ++i) seldom.ask();
    EXPECT_EQ(done, 1);
    EXPECT_TRUE(QTest::qWaitFor([&] { return done == 2; }, 10000)) << "the last wish is not lost";
    QTest::qWait(700);
    EXPECT_EQ(done, 2) << "nothing was asked for since";
    seldom.ask();
    EXPECT_EQ(done, 3);
}

TEST(AtMostEvery, SomethingElseToShowDoesNotWait) {
    test::guiApp();
    int done = 0;
    AtMostEvery seldom(60'000, [&done] { ++done; });
    seldom.ask();
    seldom.ask();
    ASSERT_EQ(done, 1);
    seldom.restart();
    EXPECT_EQ(done, 2) << "the waiting wish";
    seldom.restart();
    EXPECT_EQ(done, 2);
    seldom.ask();
    EXPECT_EQ(done, 3);
}

}  // namespace
}  // namespace kurve::views
