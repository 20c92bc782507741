// KURVE_PICTURES=DIR keeps what the window drew.
#include "views/guide/guide_window.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QPixmap>
#include <QTextBrowser>
#include <QToolButton>
#include <filesystem>

#include "tests/support/gui_app.h"
#include "views/common/theme.h"

namespace kurve::views {
namespace {

class GuideWindowTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
    }
};

TEST_F(GuideWindowTest, ShowsTheContentsAndFindsTheWayBack) {
    GuideWindow window;
    window.show();
    QCoreApplication::processEvents();
    auto* browser = window.findChild<QTextBrowser*>("guide.page");
    EXPECT_TRUE(browser->toPlainText().contains("the user guide"));
    window.open("models");
    EXPECT_TRUE(browser->toPlainText().contains("Difformer"));
    const QString folder = qEnvironmentVariable("KURVE_PICTURES");
    if (!folder.isEmpty()) window.grab().save(folder + "/guide.png");
    window.findChild<QToolButton*>("guide.back")->click();
    EXPECT_EQ(window.page(), "index");
}

TEST_F(GuideWindowTest, HoldsEveryPage) {
    GuideWindow window;
    int pages = 0;
    for (const auto& file :
         std::filesystem::directory_iterator(std::string(KURVE_SOURCE_DIR) + "/assets/help")) {
        const auto name = QString::fromStdString(file.path().filename().string());
        EXPECT_TRUE(QFile::exists(":/help/" + name)) << name.toStdString();
        ++pages;
    }
    EXPECT_GE(pages, 13);
}

}  // namespace
}  // namespace kurve::views
