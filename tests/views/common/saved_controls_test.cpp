// What a form keeps for the next session, and a box whose items come and go.
#include "views/common/form/saved_controls.h"

#include <gtest/gtest.h>

#include <QCheckBox>
#include <QLineEdit>
#include <QSignalSpy>
#include <QSpinBox>

#include "tests/support/gui_app.h"
#include "views/common/form/choice_box.h"

namespace kurve::views {
namespace {

struct Form {
    Form() {
        offerItems(box, {{"cosine", "Cosine"}, {"dot", "Dot"}}, {});
        free.setEditable(true);
        free.addItem("last");
        box.setObjectName("box");
        free.setObjectName("free");
        lasting.setObjectName("lasting");
        number.setObjectName("number");
        check.setObjectName("check");
        text.setObjectName("text");
    }
    QComboBox box, free;
    LastingChoiceBox lasting;
    QSpinBox number;
    QCheckBox check;
    QLineEdit text;
    [[nodiscard]] QList<QWidget*> all() { return {&box, &free, &lasting, &number, &check, &text}; }
};

TEST(SavedControls, HaveTheirValuesAgain) {
    test::guiApp();
    Form form, later;
    form.box.setCurrentIndex(1);
    form.free.setEditText("avg5");
    form.lasting.want("b");
    form.number.setValue(7);
    form.check.setChecked(true);
    form.text.setText("chrf");
    const QJsonObject saved = saveControls(form.all());
    EXPECT_EQ(saved, (QJsonObject{{"box", "dot"},
                                  {"free", "avg5"},
                                  {"lasting", "b"},
                                  {"number", 7},
                                  {"check", true},
                                  {"text", "chrf"}}));
    restoreControls(later.all(), saved);
    EXPECT_EQ(saveControls(later.all()), saved);
    EXPECT_EQ(later.box.currentText(), "Dot");
}

TEST(SavedControls, AreLeftAloneByWhatIsNoValueOfTheirs) {
    test::guiApp();
    Form form;
    form.box.setCurrentIndex(1);
    form.number.setValue(7);
    const QJsonObject before = saveControls(form.all());
    restoreControls(form.all(), {{"box", "gone"}, {"number", "many"}});
    EXPECT_EQ(saveControls(form.all()), before);
}

TEST(LastingChoiceBox, KeepsTheChoiceWhileNoItemHasIt) {
    test::guiApp();
    LastingChoiceBox box;
    box.offer({{"a", "A"}, {"b", "B"}});
    box.setCurrentIndex(1);
    const QSignalSpy moved(&box, &QComboBox::currentIndexChanged);
    box.offer({{"a", "A"}});
    EXPECT_EQ(box.currentData(), "a");
    EXPECT_EQ(box.wanted(), "b");
    box.offer({{"a", "A"}, {"c", "C"}, {"b", "B"}});
    EXPECT_EQ(box.currentData(), "b");
    EXPECT_EQ(moved.count(), 0);
    box.want("c");
    EXPECT_EQ(box.currentData(), "c");
    EXPECT_EQ(moved.count(), 1);
    box.offer({{"a", "A"}, {"b", "B"}}, "b");
    EXPECT_EQ(box.currentData(), "b") << "instead of the wanted one";
    EXPECT_EQ(box.wanted(), "c");
    box.want("gone");
    EXPECT_EQ(box.currentData(), "b");
    EXPECT_EQ(box.wanted(), "gone");
}

}  // namespace
}  // namespace kurve::views
