// The builders of controls and layouts set what is given and leave the rest.
#include "views/common/form/controls.h"

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSpinBox>
#include <memory>

#include "tests/support/gui_app.h"
#include "views/common/form/layouts.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/elided_label.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

TEST(Describe, SetsWhatIsGiven) {
    test::guiApp();
    const std::unique_ptr<QPushButton> button(
        describe(new QPushButton, "a.button", "Name", "Tip",
                 {.text = "Text", .role = "quiet", .filled = true, .checkable = true, .hidden = true}));
    EXPECT_EQ(button->objectName(), "a.button");
    EXPECT_EQ(button->accessibleName(), "Name");
    EXPECT_EQ(button->toolTip(), "Tip");
    EXPECT_EQ(button->text(), "Text");
    EXPECT_EQ(button->property("role").toString(), "quiet");
    EXPECT_TRUE(button->testAttribute(Qt::WA_StyledBackground));
    EXPECT_TRUE(button->isCheckable());
    EXPECT_TRUE(button->testAttribute(Qt::WA_WState_ExplicitShowHide)) << "it stays hidden in a window";
    const std::unique_ptr<QLineEdit> field(
        describe(new QLineEdit, "field", {.placeholder = "type", .clearable = true}));
    EXPECT_EQ(field->placeholderText(), "type");
    EXPECT_TRUE(field->isClearButtonEnabled());
    const std::unique_ptr<QLabel> label(
        describe(new QLabel, {.wraps = true, .shrinks = true, .selectable = true, .format = Qt::PlainText}));
    EXPECT_TRUE(label->wordWrap());
    EXPECT_EQ(label->sizePolicy().horizontalPolicy(), QSizePolicy::Ignored);
    EXPECT_EQ(label->textFormat(), Qt::PlainText);
    EXPECT_EQ(label->textInteractionFlags(), Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    const std::unique_ptr<QComboBox> box(describe(new QComboBox, {.letters = 8}));
    EXPECT_EQ(box->minimumContentsLength(), 8);
    EXPECT_EQ(box->sizeAdjustPolicy(), QComboBox::AdjustToMinimumContentsLengthWithIcon);
}

TEST(ShowText, HidesALabelThatHasNone) {
    test::guiApp();
    QLabel label;
    ElidedLabel elided("caption");
    showText(label, QStringLiteral("two words"));
    showText(elided, QStringLiteral("two words"));
    EXPECT_EQ(label.text(), "two words");
    EXPECT_EQ(elided.accessibleName(), "two words") << "by its own setText()";
    EXPECT_FALSE(label.isHidden());
    showText(label, {});
    EXPECT_TRUE(label.isHidden());
}

TEST(Describe, LeavesTheRest) {
    test::guiApp();
    QPushButton button(QStringLiteral("Run"));
    button.setObjectName(QStringLiteral("run"));
    button.setAccessibleName(QStringLiteral("Run it"));
    button.setToolTip(QStringLiteral("F5"));
    describe(&button, {.role = "primary"});
    EXPECT_EQ(button.objectName(), "run");
    EXPECT_EQ(button.accessibleName(), "Run it");
    EXPECT_EQ(button.toolTip(), "F5");
    EXPECT_EQ(button.text(), "Run");
    EXPECT_FALSE(button.isCheckable());
}

TEST(Boxes, HaveTheirItemsStretchesSpacesAndMarginsAtTheZoom) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 2.0);
    QWidget window;
    auto* a = new QLabel;
    auto* b = new QLabel;
    auto* inner = vbox({new QLabel}, {.spacing = 3});
    QHBoxLayout* row = hboxIn(&window, {a, {b, 2, Qt::AlignTop}, Gap{5}, {inner, 1}, Stretch{4}},
                              {.margins = {1, 2}, .spacing = 6});
    EXPECT_EQ(window.layout(), row);
    ASSERT_EQ(row->count(), 5);
    EXPECT_EQ(row->itemAt(0)->widget(), a);
    EXPECT_EQ(row->itemAt(1)->alignment(), Qt::AlignTop);
    EXPECT_EQ(row->itemAt(2)->sizeHint().width(), 10);
    EXPECT_EQ(row->itemAt(3)->layout(), inner);
    const int stretches[] = {0, 2, 0, 1, 4};
    for (int i = 0; i < 5; ++i) EXPECT_EQ(row->stretch(i), stretches[i]) << i;
    EXPECT_EQ(row->contentsMargins(), QMargins(2, 4, 2, 4));
    EXPECT_EQ(row->spacing(), 12);
    EXPECT_EQ(inner->spacing(), 6);
    QWidget plain;
    const std::unique_ptr<QWidget> box(boxed(hbox({})));
    EXPECT_EQ(box->layout()->contentsMargins(), QHBoxLayout(&plain).contentsMargins()) << "of the style";
    applyTheme(ThemeMode::Light, 1.0);
}

TEST(Boxes, ASplitterKeepsItsWidgetsVisible) {
    test::guiApp();
    const std::unique_ptr<QSplitter> split(splitBox(Qt::Vertical, {new QLabel, {new QLabel, 3}}));
    EXPECT_EQ(split->orientation(), Qt::Vertical);
    EXPECT_FALSE(split->childrenCollapsible());
    ASSERT_EQ(split->count(), 2);
    EXPECT_EQ(split->widget(0)->sizePolicy().verticalStretch(), 0);
    EXPECT_EQ(split->widget(1)->sizePolicy().verticalStretch(), 3);
}

TEST(CountedText, OneIsNoPlural) {
    test::guiApp();
    EXPECT_EQ(countedText(1, "run"), "1 run");
    EXPECT_EQ(countedText(0, "run"), "0 runs");
    QSpinBox box;
    box.setValue(2);
    setCountSuffix(box, "step");
    EXPECT_EQ(box.text(), "2 steps");
    box.setValue(1);
    EXPECT_EQ(box.text(), "1 step");
}

}  // namespace
}  // namespace kurve::views
