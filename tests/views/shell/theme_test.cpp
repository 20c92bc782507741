// Contrast ratios of every theme against WCAG 2.1: 1.4.3 (text, 4.5 : 1), 1.4.6 (text, 7 : 1), 1.4.11
// (graphical objects, 3 : 1). And runs have the styles of their project.
#include <gtest/gtest.h>

#include <QApplication>
#include <QComboBox>
#include <QScrollArea>
#include <QSpinBox>
#include <QTabBar>
#include <QTest>
#include <QVBoxLayout>
#include <QWheelEvent>
#include <cmath>

#include "tests/support/gui_app.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

double linear(int channel) {
    const double c = channel / 255.0;
    return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
double luminance(const QColor& c) {
    return 0.2126 * linear(c.red()) + 0.7152 * linear(c.green()) + 0.0722 * linear(c.blue());
}
double ratio(const QColor& a, const QColor& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

// Values that WCAG's own documents and WebAIM's checker give.
TEST(ContrastFormula, TheFormulaIsWcags) {
    EXPECT_DOUBLE_EQ(ratio(Qt::black, Qt::white), 21);
    EXPECT_NEAR(ratio(QColor(0x767676), Qt::white), 4.54, 0.005);
    EXPECT_NEAR(ratio(QColor(0x949494), Qt::white), 3.03, 0.005);
}

struct Needs {
    ThemeMode mode;
    double text;   ///< words
    double faint;  ///< hints and placeholders
    double line;   ///< curves, marks, focus frames
};

class Contrast : public testing::TestWithParam<Needs> {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(GetParam().mode, 1.0);
    }
    void TearDown() override { applyTheme(ThemeMode::Light, 1.0); }
};

TEST_P(Contrast, WordsCanBeReadOnEveryBackground) {
    const Theme& t = theme();
    const std::pair<const char*, QColor> papers[] = {{"window", t.window},
                                                     {"surface", t.surface},
                                                     {"raised", t.raised},
                                                     {"field", t.field},
                                                     {"selection", t.selection}};
    for (const auto& [name, paper] : papers) {
        EXPECT_GE(ratio(t.text, paper), GetParam().text) << "text on " << name;
        EXPECT_GE(ratio(t.muted, paper), GetParam().text) << "muted on " << name;
        if (paper == t.selection) continue;
        EXPECT_GE(ratio(t.faint, paper), GetParam().faint) << "faint on " << name;
        for (const auto& [state, colour] : {std::pair{"good", t.good}, {"warn", t.warn}, {"bad", t.bad}})
            EXPECT_GE(ratio(colour, paper), GetParam().text) << state << " on " << name;
    }
    EXPECT_GE(ratio(t.accentText, t.accent), GetParam().text);
    EXPECT_GE(ratio(t.text, t.added), GetParam().text);
    EXPECT_GE(ratio(t.text, t.removed), GetParam().text);
}

TEST_P(Contrast, CurvesAndFocusCanBeSeen) {
    const Theme& t = theme();
    for (int i = 0; i < 6; ++i)
        EXPECT_GE(ratio(categoryColor(i), t.surface), GetParam().line) << "category " << i;
    EXPECT_GE(ratio(t.accent, t.surface), GetParam().line);
    EXPECT_GE(ratio(t.accent, t.raised), GetParam().line);
    if (t.contrast) EXPECT_GE(ratio(t.border, t.surface), GetParam().line);
}

INSTANTIATE_TEST_SUITE_P(Themes, Contrast,
                         testing::Values(Needs{ThemeMode::Light, 4.5, 3, 3},
                                         Needs{ThemeMode::Dark, 4.5, 3, 3},
                                         Needs{ThemeMode::Contrast, 7, 7, 4.5}));

TEST(RunStyle, IsThatOfTheProjectAndOfARunThatItDoesNotListYetAFreeOne) {
    test::guiApp();
    setRunStyles({{"a", 0}, {"b", 2}, {"c", 8}});
    EXPECT_EQ(runStyle("b").color, categoryColor(2));
    EXPECT_EQ(runStyle("c").color, runStyle("b").color);
    EXPECT_NE(runStyle("c").marker, runStyle("b").marker);
    EXPECT_NE(runStyle("c").dash, runStyle("b").dash);
    EXPECT_EQ(runStyle("new").color, categoryColor(1));
    int reported = 0;
    QObject listener;
    QObject::connect(themeNotifier(), &ThemeNotifier::changed, &listener, [&reported] { ++reported; });
    setRunStyles({{"a", 0}, {"b", 2}, {"new", 1}});
    EXPECT_EQ(reported, 0) << "the shown styles are unchanged";
    setRunStyles({{"a", 2}, {"b", 0}, {"new", 1}});
    EXPECT_EQ(reported, 1);
    EXPECT_EQ(runStyle("b").color, categoryColor(0));
    setRunStyles({});
}

TEST(StudioStyle, WhoeverScrollsAPageChangesNoSettingByTheWay) {
    test::guiApp();
    applyTheme(ThemeMode::Light, 1.0);
    QScrollArea page;
    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    auto *choice = new QComboBox, *free = new QComboBox;
    for (QComboBox* box : {choice, free}) {
        box->addItems({"a", "b", "c"});
        box->setCurrentIndex(1);
    }
    auto* number = new QSpinBox;
    number->setValue(50);
    auto* tabs = new QTabBar;
    for (const char* tab : {"one", "two", "three"}) tabs->addTab(tab);
    tabs->setCurrentIndex(1);
    for (QWidget* control : std::initializer_list<QWidget*>{choice, number, tabs}) layout->addWidget(control);
    content->setMinimumHeight(2000);
    page.setWidget(content);
    page.setWidgetResizable(true);
    page.resize(300, 300);
    page.show();
    free->show();
    page.activateWindow();
    ASSERT_TRUE(QTest::qWaitForWindowActive(&page));
    const auto turn = [](QWidget* at) {
        const QPointF position(at->rect().center());
        QWheelEvent event(position, at->mapToGlobal(position), {}, {0, -120}, Qt::NoButton, Qt::NoModifier,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(at, &event);
        return event.isAccepted();
    };
    page.setFocus();
    for (QWidget* control : std::initializer_list<QWidget*>{choice, number, tabs}) {
        EXPECT_FALSE(turn(control)) << "it is left to the page";
        EXPECT_NE(control->focusPolicy(), Qt::WheelFocus);
    }
    EXPECT_EQ(choice->currentIndex(), 1);
    EXPECT_EQ(number->value(), 50);
    EXPECT_EQ(tabs->currentIndex(), 1);
    number->setFocus();
    ASSERT_TRUE(number->hasFocus());
    EXPECT_TRUE(turn(number));
    EXPECT_EQ(number->value(), 49) << "a number that was clicked is meant";
    EXPECT_TRUE(turn(free));
    EXPECT_EQ(free->currentIndex(), 2) << "where nothing scrolls the wheel is the choice's";
    delete free;
}

}  // namespace
}  // namespace kurve::views
