// Keys of the user's own: real key presses reach what they were given to, and a settings file keeps them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTest>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"
#include "views/common/shell/view_keys.h"
#include "views/common/theme/theme.h"
#include "views/guide/key_field.h"
#include "views/guide/keys_page.h"

namespace kurve::views {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class KeysTest : public ::testing::Test {
protected:
    KeysTest() {
        QCoreApplication::setOrganizationName("kurve-test");
        QCoreApplication::setApplicationName("keys");
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                           QString::fromStdString(home_.path().string()));
        applyTheme(ThemeMode::Light, 1.0);
        auto* column = new QVBoxLayout(&window_);
        panel_ = new QWidget;
        panel_->setAccessibleName("Timeline");
        auto* inside = new QVBoxLayout(panel_);
        text_ = new QLineEdit;
        button_ = new QPushButton("here");
        inside->addWidget(text_);
        inside->addWidget(button_);
        elsewhere_ = new QPushButton("elsewhere");
        column->addWidget(panel_);
        column->addWidget(elsewhere_);
        commands_.setWindow(&window_);
        add("run.start", "Start", "Ctrl+R", nullptr);
        add("view.export", "Export the view", "Ctrl+E", nullptr);
        add("timeline.export", "Export trace", "Ctrl+E", panel_);
        add("timeline.grid", "Text as grid", "G", panel_);
    }
    void add(const char* id, const char* title, const char* key, QWidget* scope) {
        const QString name = QLatin1String(id);
        commands_.add(
            {name, title, "Run", QKeySequence(key), "help"}, [this, name] { done_ << name; }, scope);
    }
    void showWindow() {
        window_.show();
        window_.activateWindow();
        ASSERT_TRUE(QTest::qWaitForWindowActive(&window_));
    }
    QStringList press(QWidget* where, int key, Qt::KeyboardModifiers with = Qt::NoModifier) {
        done_.clear();
        where->setFocus();
        QTest::keyClick(where, static_cast<Qt::Key>(key), with);
        return done_;
    }
    static QList<QKeySequence> keys(const char* text) { return {QKeySequence(text)}; }

    QApplication& app_ = test::guiApp();  // before the widgets
    testing::TemporaryFolder home_;
    QWidget window_;
    CommandRegistry commands_;
    QWidget *panel_, *text_, *button_, *elsewhere_;
    QStringList done_;
};

TEST_F(KeysTest, TheInnermostScopeHasTheKey) {
    showWindow();
    EXPECT_THAT(press(button_, Qt::Key_E, Qt::ControlModifier), ElementsAre("timeline.export"));
    EXPECT_THAT(press(elsewhere_, Qt::Key_E, Qt::ControlModifier), ElementsAre("view.export"));
    commands_.action("timeline.export")->setEnabled(false);
    EXPECT_THAT(press(button_, Qt::Key_E, Qt::ControlModifier), ElementsAre("view.export"));
}

TEST_F(KeysTest, ChangedKeysActAndAreSaved) {
    showWindow();
    {
        KeyBindings bindings(commands_);
        bindings.set("run.start", {QKeySequence("Ctrl+J"), QKeySequence("Ctrl+;")});
        EXPECT_THAT(press(elsewhere_, Qt::Key_J, Qt::ControlModifier), ElementsAre("run.start"));
        EXPECT_THAT(press(elsewhere_, Qt::Key_Semicolon, Qt::ControlModifier), ElementsAre("run.start"));
        EXPECT_THAT(press(elsewhere_, Qt::Key_R, Qt::ControlModifier), ElementsAre());
        bindings.set("view.export", {});
        EXPECT_EQ(commands_.keyText("view.export"), "");
    }
    CommandRegistry later;
    KeyBindings bindings(later);
    later.add({"run.start", "Start", "Run", QKeySequence("Ctrl+R"), ""}, [] {});
    later.add({"view.export", "Export", "Run", QKeySequence("Ctrl+E"), ""}, [] {});
    EXPECT_EQ(later.action("run.start")->shortcuts(),
              QList<QKeySequence>({QKeySequence("Ctrl+J"), QKeySequence("Ctrl+;")}));
    EXPECT_TRUE(later.action("view.export")->shortcuts().isEmpty());
    EXPECT_TRUE(later.action("run.start")->toolTip().contains("Ctrl+J"));
    bindings.reset("run.start");
    EXPECT_EQ(later.action("run.start")->shortcuts(), keys("Ctrl+R"));
    bindings.resetAll();
    EXPECT_EQ(later.action("view.export")->shortcuts(), keys("Ctrl+E"));
    EXPECT_FALSE(bindings.anyChanged());
}

TEST_F(KeysTest, OnlyCommandsOfTheSameScopeAreRivals) {
    ASSERT_EQ(commands_.rivals("timeline.grid", QKeySequence("Ctrl+E")).size(), 1U);
    EXPECT_EQ(commands_.rivals("timeline.grid", QKeySequence("Ctrl+E"))[0]->command.id, "timeline.export");
    EXPECT_EQ(commands_.rivals("run.start", QKeySequence("Ctrl+E"))[0]->command.id, "view.export");
    EXPECT_TRUE(commands_.rivals("run.start", QKeySequence("G")).empty());
}

TEST_F(KeysTest, AConflictIsReportedAndTheKeyReassigned) {
    KeyBindings bindings(commands_);
    KeysPage page(bindings);
    page.show(button_);
    EXPECT_EQ(page.list()->topLevelItem(0)->text(0), "In this view");
    EXPECT_EQ(page.list()->topLevelItem(0)->childCount(), 2);
    page.choose("run.start");
    auto* field = page.findChild<KeyField*>("keys.field");
    const auto change = [&](Qt::Key key, Qt::KeyboardModifiers with) {
        page.findChild<QPushButton*>("keys.change")->click();
        EXPECT_FALSE(field->isHidden());
        QTest::keyClick(field, key, with);
        EXPECT_TRUE(field->isHidden());
    };
    change(Qt::Key_K, Qt::ControlModifier | Qt::ShiftModifier);
    EXPECT_EQ(commands_.keyText("run.start"), "Ctrl+Shift+K");
    EXPECT_EQ(page.list()->currentItem()->text(1), "Ctrl+Shift+K");
    EXPECT_EQ(page.list()->currentItem()->text(2), "Ctrl+R");
    change(Qt::Key_E, Qt::ControlModifier);
    EXPECT_EQ(commands_.keyText("run.start"), "Ctrl+Shift+K") << "it has not been decided yet";
    EXPECT_THAT(page.findChild<QLabel*>("keys.about")->text().toStdString(),
                HasSubstr("Ctrl+E is already assigned to “Export the view”"));
    page.findChild<QPushButton*>("keys.reassign")->click();
    EXPECT_EQ(commands_.keyText("run.start"), "Ctrl+E");
    EXPECT_EQ(commands_.keyText("view.export"), "");
    EXPECT_EQ(commands_.keyText("timeline.export"), "Ctrl+E") << "another scope";
    page.findChild<QPushButton*>("keys.reset_all")->click();
    EXPECT_EQ(commands_.keyText("run.start"), "Ctrl+R");
    EXPECT_EQ(commands_.keyText("view.export"), "Ctrl+E");
}

TEST_F(KeysTest, EnterChangesTheFoundCommandAndNoHiddenOne) {
    KeyBindings bindings(commands_);
    KeysPage page(bindings);
    page.show(elsewhere_);
    EXPECT_EQ(page.chosen(), "run.start");
    page.search("grid");
    EXPECT_EQ(page.chosen(), "timeline.grid");
    page.search("no action is called so");
    EXPECT_EQ(page.chosen(), "");
    EXPECT_FALSE(page.findChild<QPushButton*>("keys.change")->isEnabled());
    page.search("");
    EXPECT_FALSE(page.chosen().isEmpty());
}

TEST_F(KeysTest, WaitingForAKeyLetsNothingAct) {
    KeyBindings bindings(commands_);
    auto* page = new KeysPage(bindings);
    window_.layout()->addWidget(page);
    showWindow();
    page->show(elsewhere_);
    page->choose("run.start");
    auto* field = page->findChild<KeyField*>("keys.field");
    page->findChild<QPushButton*>("keys.add")->click();
    done_.clear();
    QTest::keyClick(field, Qt::Key_E, Qt::ControlModifier);
    EXPECT_TRUE(done_.isEmpty());
    page->findChild<QPushButton*>("keys.add")->click();
    QTest::keyClick(field, Qt::Key_Escape);
    EXPECT_TRUE(field->isHidden());
    EXPECT_EQ(commands_.action("run.start")->shortcuts(), keys("Ctrl+R"));
    page->search("grid");
    EXPECT_TRUE(page->list()->topLevelItem(0)->isHidden());
    window_.layout()->removeWidget(page);
    delete page;
}

TEST(KeyFieldTest, ReadsWhatWasPressed) {
    const auto of = [](int key, Qt::KeyboardModifiers with, const char* text) {
        return keyOf(QKeyEvent(QEvent::KeyPress, key, with, text)).toString();
    };
    EXPECT_EQ(of(Qt::Key_A, Qt::ShiftModifier, "A"), "Shift+A");
    EXPECT_EQ(of(Qt::Key_Question, Qt::ShiftModifier, "?"), "?");
    EXPECT_EQ(of(Qt::Key_5, Qt::KeypadModifier, "5"), "5");
    EXPECT_EQ(of(Qt::Key_Backtab, Qt::ShiftModifier, ""), "Shift+Tab");
    EXPECT_EQ(of(Qt::Key_Control, Qt::ControlModifier, ""), "");
}

}  // namespace
}  // namespace kurve::views
