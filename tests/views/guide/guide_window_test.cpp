// KURVE_PICTURES=DIR keeps what the window drew.
#include "views/guide/guide_window.h"

#include <gtest/gtest.h>

#include <QFile>
#include <QPixmap>
#include <QRegularExpression>
#include <QTextBlock>
#include <QTextBrowser>
#include <QToolButton>
#include <filesystem>
#include <set>

#include "tests/support/gui_app.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

class GuideWindowTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        applyTheme(ThemeMode::Light, 1.0);
    }
};

TEST_F(GuideWindowTest, ShowsTheContentsAndGoesBack) {
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

TEST_F(GuideWindowTest, PicturesAreThereAndFitThePage) {
    GuideWindow window;
    window.resize(600, 500);
    window.show();
    const std::filesystem::path help = std::filesystem::path(KURVE_SOURCE_DIR) / "assets/help";
    const QRegularExpression link(QStringLiteral("!\\[[^\\]]+\\]\\((pictures/[a-z-]+\\.png)\\)"));
    std::set<QString> shown;
    for (const auto& entry : std::filesystem::directory_iterator(help)) {
        if (entry.path().extension() != ".md") continue;
        QFile file(QString::fromStdString(entry.path().string()));
        ASSERT_TRUE(file.open(QIODevice::ReadOnly));
        auto links = link.globalMatch(QString::fromUtf8(file.readAll()));
        if (!links.hasNext()) continue;
        window.open(QString::fromStdString(entry.path().stem().string()));
        while (links.hasNext()) {
            const QString name = links.next().captured(1);
            shown.insert(name);
            EXPECT_FALSE(QPixmap(QStringLiteral(":/help/") + name).isNull()) << name.toStdString();
        }
        auto* browser = window.findChild<QTextBrowser*>("guide.page");
        for (QTextBlock block = browser->document()->begin(); block.isValid(); block = block.next())
            for (auto it = block.begin(); !it.atEnd(); ++it) {
                const QTextImageFormat picture = it.fragment().charFormat().toImageFormat();
                if (!picture.isValid()) continue;
                EXPECT_GT(picture.width(), 100) << entry.path();
                EXPECT_LE(picture.width(), browser->viewport()->width()) << entry.path();
            }
    }
    for (const auto& entry : std::filesystem::directory_iterator(help / "pictures"))
        EXPECT_TRUE(shown.contains(QString::fromStdString("pictures/" + entry.path().filename().string())))
            << entry.path() << " is shown nowhere";
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
