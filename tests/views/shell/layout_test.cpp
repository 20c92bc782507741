// Rows that wrap and contents that fold: what keeps a panel usable in a narrow window.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QTest>

#include "tests/support/gui_app.h"
#include "views/common/form/control_column.h"
#include "views/common/shell/folding_content.h"
#include "views/common/shell/wrap_layout.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;

class Row {
public:
    Row() : layout_(new WrapLayout(&box_)) { layout_->setSpacing(10); }
    QWidget* add(int width) {
        auto* item = new QWidget(&box_);
        item->setFixedSize(width, 20);
        layout_->addWidget(item);
        item->show();
        return item;
    }
    WrapLayout* operator->() { return layout_; }
    void layOut(int width) { layout_->setGeometry({0, 0, width, 200}); }

private:
    QApplication& app_ = test::guiApp();  // before the first widget
    QWidget box_;
    WrapLayout* layout_;
};

TEST(WrapLayout, GoesOnInTheNextLineWhereTheWidthEnds) {
    Row row;
    const std::vector<QWidget*> items{row.add(100), row.add(100), row.add(100)};
    EXPECT_EQ(row->heightForWidth(320), 20);
    EXPECT_EQ(row->heightForWidth(319), 50);
    EXPECT_EQ(row->heightForWidth(100), 80);
    EXPECT_EQ(row->sizeHint(), QSize(320, 20));
    EXPECT_EQ(row->minimumSize(), QSize(100, 20));
    row.layOut(230);
    EXPECT_EQ(items[1]->pos(), QPoint(110, 0));
    EXPECT_EQ(items[2]->pos(), QPoint(0, 30));
    items[1]->hide();
    row.layOut(230);
    EXPECT_EQ(items[2]->pos(), QPoint(110, 0)) << "hidden widgets take no space";
}

TEST(WrapLayout, AStretchPushesTheRestOfItsLineToTheRight) {
    Row row;
    row.add(100);
    row->addStretch();
    QWidget* last = row.add(50);
    row.layOut(400);
    EXPECT_EQ(last->x(), 350);
    row.layOut(120);
    EXPECT_EQ(last->pos(), QPoint(0, 30));
}

TEST(WrapLayout, ANoteTakesWhatALineLeavesAndItsOwnWhereThatIsLittle) {
    Row row;
    QWidget* button = row.add(100);
    auto* note =
        new QLabel(QStringLiteral("a note that says very much about what was drawn and what was not"));
    note->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
    row->addWidget(note);
    note->show();
    row.layOut(500);
    EXPECT_EQ(note->x(), 110);
    EXPECT_EQ(note->width(), 390);
    row.layOut(150);
    EXPECT_EQ(note->x(), button->x());
    EXPECT_EQ(note->width(), 150);
}

TEST(WrapLayout, ARowInARowWrapsItself) {
    Row row;
    row.add(100);
    auto* inner = new QWidget;
    auto* wrap = new WrapLayout(inner);
    wrap->setSpacing(10);
    for (int i = 0; i < 3; ++i) {
        auto* item = new QWidget;
        item->setFixedSize(100, 20);
        wrap->addWidget(item);
    }
    row->addWidget(inner);
    inner->show();
    EXPECT_EQ(row->heightForWidth(430), 20);
    EXPECT_EQ(row->heightForWidth(320), 50) << "below the first, in one line";
    EXPECT_EQ(row->heightForWidth(210), 80) << "below the first, in two";
    row.layOut(210);
    EXPECT_EQ(inner->geometry(), QRect(0, 30, 210, 50));
}

TEST(FoldingContent, ArrangesByTheRoomThereIs) {
    test::guiApp();
    std::vector<bool> calls;
    FoldingContent content(new QWidget, [&](bool narrow) { calls.push_back(narrow); });
    content.resize(900, 300);
    content.show();
    QTest::qWait(0);
    content.resize(300, 300);
    QTest::qWait(0);
    content.resize(310, 300);
    QTest::qWait(0);
    content.resize(900, 300);
    QTest::qWait(0);
    EXPECT_THAT(calls, ElementsAre(false, true, false));
}

TEST(ControlColumn, GivesWayUpToAThird) {
    test::guiApp();
    auto* controls = new QWidget;
    controls->setMinimumSize(120, 40);
    const ControlColumn column(controls, 300);
    EXPECT_EQ(column.sizeHint().width(), 300);
    EXPECT_EQ(column.minimumSizeHint().width(), 200);
}

}  // namespace
}  // namespace kurve::views
