// A box of many items is searched by typing; one of few is as it always was.
#include "views/common/form/choice_box.h"

#include <gtest/gtest.h>

#include <QLineEdit>
#include <QSignalSpy>
#include <QTest>

#include "tests/support/gui_app.h"
#include "views/common/form/choice_list.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

class ChoiceBoxTest : public ::testing::Test {
protected:
    ChoiceBoxTest() { applyTheme(ThemeMode::Light, 1.0); }
    void fill(int count) {
        for (int i = 0; i < count; ++i)
            box_.addItem(QStringLiteral("Metric %1").arg(i), QStringLiteral("metric:grad/layer%1").arg(i));
        box_.show();
    }
    QApplication& app_ = test::guiApp();
    ChoiceBox box_{QStringLiteral("test.box"), QStringLiteral("A metric")};
};

TEST_F(ChoiceBoxTest, ManyItemsAreSearchedByTitleOrId) {
    fill(2000);
    QSignalSpy activated(&box_, &QComboBox::activated);
    box_.showPopup();
    ChoiceList* list = box_.list();
    ASSERT_TRUE(list->isVisible());
    EXPECT_EQ(list->shownCount(), 2000);
    list->search()->setText("LAYER199 grad");
    EXPECT_EQ(list->shownCount(), 11) << "layer199 and layer1990 to layer1999";
    QTest::keyClick(list->search(), Qt::Key_Down);
    EXPECT_EQ(box_.currentIndex(), 0) << "nothing is chosen yet";
    QTest::keyClick(list->search(), Qt::Key_Return);
    EXPECT_FALSE(list->isVisible());
    EXPECT_EQ(box_.currentText(), "Metric 1990");
    ASSERT_EQ(activated.count(), 1);
    EXPECT_EQ(activated.first().at(0).toInt(), 1990);
}

TEST_F(ChoiceBoxTest, AnExactMatchIsFirst) {
    fill(20);
    box_.addItem("Loss of the lengths");
    box_.addItem("Loss");
    box_.showPopup();
    box_.list()->search()->setText("LOSS");
    EXPECT_EQ(box_.list()->shownCount(), 2);
    QTest::keyClick(box_.list()->search(), Qt::Key_Return);
    EXPECT_EQ(box_.currentText(), "Loss");
}

TEST_F(ChoiceBoxTest, FewItemsNeedNoSearch) {
    fill(5);
    box_.showPopup();
    EXPECT_FALSE(box_.list()->isVisible());
    box_.hidePopup();
}

}  // namespace
}  // namespace kurve::views
