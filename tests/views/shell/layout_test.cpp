// Rows that wrap and cards in one or two columns: what keeps a panel usable in a narrow window.
#include <gtest/gtest.h>

#include <QLabel>
#include <QPushButton>
#include <QTest>
#include <memory>

#include "tests/support/gui_app.h"
#include "views/common/form/layouts.h"
#include "views/common/shell/card_grid.h"
#include "views/common/shell/wrap_layout.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

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

class CardGridTest : public ::testing::Test {
protected:
    void SetUp() override {
        applyTheme(ThemeMode::Light, 1.0);
        for (QWidget*& card : cards_) {
            card = new QWidget(grid_.widget());
            card->setMinimumSize(100, 50);
        }
    }
    /// Where the cards are at this size, settled.
    QList<QRect> at(int width) {
        grid_.resize(width, 400);
        grid_.show();
        QTest::qWait(10);
        QList<QRect> places;
        for (const QWidget* card : cards_) places << card->geometry();
        return places;
    }
    QApplication& app_ = test::guiApp();  // before the first widget
    CardGrid grid_;
    std::vector<QWidget*> cards_ = std::vector<QWidget*>(3);
};

TEST_F(CardGridTest, CardsAreOneBelowTheOtherWhereTheWidthIsSmall) {
    grid_.setCells({{cards_[0], 0, 0, 1, 2}, {cards_[1], 1, 0}, {cards_[2], 1, 1}}, {2, 1}, {1, 3});
    const QList<QRect> wide = at(900);
    EXPECT_EQ(wide[0].width(), 900);
    EXPECT_EQ(wide[1].top(), wide[2].top());
    EXPECT_NEAR(wide[2].width(), 3 * wide[1].width(), 3);
    EXPECT_NEAR(wide[0].height(), 2 * wide[1].height(), 3);
    const QList<QRect> narrow = at(500);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(narrow[i].width(), 500) << i;
        if (i > 0) EXPECT_GT(narrow[i].top(), narrow[i - 1].bottom());
    }
    EXPECT_NEAR(narrow[0].height(), 2 * narrow[2].height(), 3);
    EXPECT_EQ(at(900), wide);
}

TEST_F(CardGridTest, ASingleCardHasTheWholeWidthAndOthersAreHidden) {
    grid_.setCards(cards_);
    const QList<QRect> all = at(900);
    EXPECT_EQ(all[0].width(), all[1].width());
    EXPECT_GT(all[2].top(), all[0].bottom());
    grid_.setCards({cards_[1]});
    const QRect one = at(900)[1];
    EXPECT_EQ(one.size(), QSize(900, 400));
    EXPECT_TRUE(cards_[0]->isHidden());
    grid_.setCards({cards_[1], cards_[0]});
    EXPECT_EQ(at(900)[1].x(), 0);
    EXPECT_FALSE(cards_[0]->isHidden());
}

TEST(ControlColumn, GivesWayUpToAThird) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    auto *controls = new QWidget, *control = new QWidget;
    vboxIn(controls, {control}, {.margins = 0});
    const std::unique_ptr<QScrollArea> column(controlColumn(controls, 300));
    EXPECT_EQ(column->sizeHint().width(), 300);
    EXPECT_EQ(column->minimumSizeHint().width(), 200);
    control->setMinimumWidth(250);
    EXPECT_GT(column->minimumSizeHint().width(), 250) << "and not further than the controls";
}

}  // namespace
}  // namespace kurve::views
