// Keys of parts of views: what F1 lists is what acts, with real key presses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLineEdit>
#include <QPushButton>
#include <QTest>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "tests/support/gui_app.h"
#include "views/common/chart/line_chart.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme.h"
#include "views/guide/keys_page.h"

namespace kurve::views {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsSupersetOf;

class ViewKeysTest : public ::testing::Test {
protected:
    ViewKeysTest() {
        applyTheme(ThemeMode::Light, 1.0);
        auto* column = new QVBoxLayout(&window_);
        part_->setFocusPolicy(Qt::StrongFocus);
        auto* inside = new QVBoxLayout(part_);
        inside->addWidget(field_);
        column->addWidget(part_);
        column->addWidget(other_);
        commands_.setWindow(&window_);
        commands_.add({"window.right", "Right", "View", Qt::Key_Right, ""}, [this] { done_ << "window"; });
        keys_ = new ViewKeys(part_, "A part");
        keys_->add({{Qt::Key_Right, Qt::Key_Plus}, "On", [this] { done_ << "on"; }});
        keys_->add(
            {{Qt::SHIFT | Qt::Key_Right}, "Far on", [this] { done_ << "far"; }, {}, [this] { return far_; }});
        keys_->add({{Qt::Key_Space}, "Held", [this] { done_ << "down"; }, [this] { done_ << "up"; }});
        window_.show();
        window_.activateWindow();
        EXPECT_TRUE(QTest::qWaitForWindowActive(&window_));
    }
    QStringList press(QWidget* where, Qt::Key key, Qt::KeyboardModifiers with = Qt::NoModifier) {
        done_.clear();
        where->setFocus();
        QTest::keyClick(where, key, with);
        return done_;
    }

    QApplication& app_ = test::guiApp();  // before the widgets
    CommandRegistry commands_;
    QWidget window_;
    QWidget* part_ = new QWidget;
    QLineEdit* field_ = new QLineEdit;
    QPushButton* other_ = new QPushButton("other");
    ViewKeys* keys_ = nullptr;
    QStringList done_;
    bool far_ = true;
};

TEST_F(ViewKeysTest, ThePartWithTheFocusTakesItsKeysBeforeTheWindow) {
    EXPECT_THAT(press(part_, Qt::Key_Right), ElementsAre("on"));
    EXPECT_THAT(press(part_, Qt::Key_Plus, Qt::KeypadModifier), ElementsAre("on"));
    EXPECT_THAT(press(other_, Qt::Key_Right), ElementsAre("window"));
    EXPECT_THAT(press(part_, Qt::Key_Right, Qt::ShiftModifier), ElementsAre("far"));
    far_ = false;
    EXPECT_THAT(press(part_, Qt::Key_Right, Qt::ShiftModifier), ElementsAre());
    EXPECT_THAT(press(part_, Qt::Key_Right, Qt::ControlModifier), ElementsAre());
}

TEST_F(ViewKeysTest, AFieldInThePartKeepsWhatIsTyped) {
    EXPECT_THAT(press(field_, Qt::Key_Space), ElementsAre());
    EXPECT_EQ(field_->text(), " ");
    press(field_, Qt::Key_Left);
    EXPECT_THAT(press(field_, Qt::Key_Right), ElementsAre());
    EXPECT_EQ(field_->cursorPosition(), 1);
}

TEST_F(ViewKeysTest, WhatLastsWhileAKeyIsHeldEndsWithItOrWithTheFocus) {
    part_->setFocus();
    QTest::keyPress(part_, Qt::Key_Space);
    EXPECT_THAT(done_, ElementsAre("down"));
    QTest::keyRelease(part_, Qt::Key_Space);
    EXPECT_THAT(done_, ElementsAre("down", "up"));
    QTest::keyRelease(part_, Qt::Key_Space);
    EXPECT_THAT(done_, ElementsAre("down", "up"));
    done_.clear();
    QTest::keyPress(part_, Qt::Key_Space);
    other_->setFocus();
    EXPECT_THAT(done_, ElementsAre("down", "up"));
}

/// "Title: action = keys" of every row.
std::vector<std::string> rowsOf(const KeysPage& page) {
    std::vector<std::string> rows;
    for (int g = 0; g < page.list()->topLevelItemCount(); ++g) {
        const QTreeWidgetItem* group = page.list()->topLevelItem(g);
        for (int i = 0; i < group->childCount(); ++i)
            rows.push_back(
                (group->text(0) + ": " + group->child(i)->text(0) + " = " + group->child(i)->text(1))
                    .toStdString());
    }
    return rows;
}

TEST_F(ViewKeysTest, F1ListsThemBesideTheCommands) {
    auto* again = new ViewKeys(other_, "A part");  // another of the kind is not listed twice
    again->add({{Qt::Key_Right}, "On", [] {}});
    auto* chart = new LineChart("chart", "Loss");
    window_.layout()->addWidget(chart);
    KeyBindings bindings(commands_);
    KeysPage page(bindings);
    page.show(field_);
    const auto rows = rowsOf(page);
    EXPECT_EQ(rows.front(), "A part (focused): On = Right  ·  +");
    EXPECT_THAT(rows, IsSupersetOf({"A part (focused): Held = Space", "View: Right = Right",
                                    "Chart (when focused): Pan left = Shift+Left"}));
    EXPECT_EQ(std::count_if(rows.begin(), rows.end(),
                            [](const std::string& row) { return row.rfind("A part", 0) == 0; }),
              3);
    EXPECT_EQ(page.chosen(), "") << "a key of a part is not open to change";
}

/// Ranges, cursor and clicks of a chart, as a text that changes when something does.
TEST_F(ViewKeysTest, EveryKeyThatAChartListsDoesSomething) {
    auto* chart = new LineChart("chart", "Loss");
    window_.layout()->addWidget(chart);
    const std::vector<double> x{1, 2, 3, 4, 5}, y{5, 4, 3, 2, 1};
    CurveSpec spec;
    spec.label = "loss";
    chart->setCurve("loss", spec, x, y);
    chart->show();
    chart->setFocus();
    for (int i = 0; i < 3; ++i) QTest::keyClick(chart, Qt::Key_Right);  // there is a point on either side
    int clicks = 0;
    QObject::connect(chart, &LineChart::clickedAt, chart, [&clicks] { ++clicks; });
    const auto state = [&] {
        const QCPRange across = chart->plot()->xAxis->range(), up = chart->plot()->yAxis->range();
        return QStringLiteral("%1 %2 %3 %4 %5 %6")
            .arg(across.lower)
            .arg(across.upper)
            .arg(up.lower)
            .arg(up.upper)
            .arg(chart->accessibleDescription())
            .arg(clicks);
    };
    const auto keys = chart->findChildren<ViewKeys*>();
    ASSERT_EQ(keys.size(), 1);
    EXPECT_GE(keys[0]->keys().size(), 10U);
    // What these do shows only with a second key, a box or a field: chart_zoom_test and chart_limits_test
    // tell.
    const QList<QKeySequence> later{Qt::Key_Z,
                                    Qt::Key_Escape,
                                    Qt::SHIFT | Qt::Key_Escape,
                                    Qt::Key_Backspace,
                                    Qt::Key_L,
                                    Qt::SHIFT | Qt::Key_L,
                                    Qt::Key_U,
                                    Qt::SHIFT | Qt::Key_F};
    for (const ViewKey& key : keys[0]->keys())
        for (const QKeySequence& sequence : key.keys) {
            if (sequence == QKeySequence(Qt::Key_Home) || later.contains(sequence)) continue;
            const QString before = state();
            QTest::keyClick(chart, sequence[0].key(), sequence[0].keyboardModifiers());
            EXPECT_NE(state().toStdString(), before.toStdString()) << sequence.toString().toStdString();
        }
    EXPECT_FALSE(chart->isFollowing());
    QTest::keyClick(chart, Qt::Key_Home);
    EXPECT_TRUE(chart->isFollowing());
}

}  // namespace
}  // namespace kurve::views
