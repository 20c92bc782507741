// Named layouts: a file each that can be shared, applied, renamed, deleted; a damaged one harms no other.
#include <gmock/gmock.h>

#include <QDockWidget>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <fstream>

#include "core/base/file.h"
#include "tests/app/studio/window_fixture.h"

namespace kurve::studio {
namespace {

namespace fs = std::filesystem;

class LayoutsTest : public WindowTest {
protected:
    [[nodiscard]] fs::path folder() const { return project_.path() / "layouts"; }
    void run(StudioApp& app, const char* command) {
        app.window()->commands().action(QLatin1String(command))->trigger();
    }
    QLineEdit& box(StudioApp& app) {
        return *app.window()->findChild<QLineEdit*>(QStringLiteral("palette.box"));
    }
    void type(StudioApp& app, const QString& text) {
        box(app).setText(text);
        QTest::keyClick(&box(app), Qt::Key_Return);
    }
    QStringList offered(StudioApp& app) {
        QStringList titles;
        const auto* list = app.window()->findChild<QListWidget*>(QStringLiteral("palette.list"));
        for (int row = 0; row < list->count(); ++row) titles << list->item(row)->text();
        return titles;
    }
    QString message(StudioApp& app) {
        return app.window()->findChild<QLabel*>(QStringLiteral("status.message"))->text();
    }
    QDockWidget& queue(StudioApp& app) {
        return *app.window()->workspace(WorkspaceId::Train).dock(QStringLiteral("queue"));
    }
};

TEST_F(LayoutsTest, ASavedLayoutIsAppliedAlsoInAnotherProject) {
    {
        auto app = open();
        app->window()->openWorkspace(WorkspaceId::Train);
        queue(*app).setVisible(false);
        run(*app, "layout.save");
        type(*app, "Just curves");
        ASSERT_TRUE(fs::exists(folder() / "just-curves.json")) << message(*app).toStdString();
        run(*app, "layout.reset");
        EXPECT_FALSE(queue(*app).isHidden());
        run(*app, "layout.apply");
        EXPECT_EQ(offered(*app), QStringList{"Just curves"});
        type(*app, "curves");
        EXPECT_TRUE(queue(*app).isHidden());
    }
    const std::string shared = *readFile(folder() / "just-curves.json");
    fs::remove_all(folder());
    fs::create_directories(folder());
    std::ofstream(folder() / "from-somebody.json") << shared;
    auto app = open();
    app->window()->openWorkspace(WorkspaceId::Train);
    EXPECT_FALSE(queue(*app).isHidden());
    run(*app, "layout.apply");
    type(*app, "curves");
    EXPECT_TRUE(queue(*app).isHidden());
}

TEST_F(LayoutsTest, IsRenamedAndDeletedAfterConfirmation) {
    auto app = open();
    run(*app, "layout.save");
    type(*app, "one");
    run(*app, "layout.save");
    type(*app, "session");  // the name of another file of that folder
    EXPECT_TRUE(fs::exists(folder() / "session-2.json"));
    run(*app, "layout.rename");
    type(*app, "one");
    EXPECT_EQ(box(*app).text(), "one");
    type(*app, "session");
    EXPECT_THAT(message(*app).toStdString(), ::testing::HasSubstr("already"));
    run(*app, "layout.rename");
    type(*app, "one");
    type(*app, "two");
    run(*app, "layout.delete");
    EXPECT_EQ(offered(*app), (QStringList{"session", "two"}));
    type(*app, "two");
    QTest::keyClick(&box(*app), Qt::Key_Return);  // the first answer keeps it
    EXPECT_TRUE(fs::exists(folder() / "one.json"));
    run(*app, "layout.delete");
    type(*app, "two");
    type(*app, "Delete");
    EXPECT_FALSE(fs::exists(folder() / "one.json"));
    run(*app, "layout.delete");
    EXPECT_EQ(offered(*app), QStringList{"session"});
}

TEST_F(LayoutsTest, ADamagedOneIsReportedAndChangesNothing) {
    auto app = open();
    app->window()->openWorkspace(WorkspaceId::Train);
    run(*app, "layout.save");
    type(*app, "good");
    std::ofstream(folder() / "torn.json") << R"({"kind": "kurve-lay)";
    std::ofstream(folder() / "scrambled.json") << R"({"kind": "kurve-layout", "name": "scrambled",
               "arrangement": {"workspaces": {"train": "QUJD"}, "columns": [300]}})";
    queue(*app).setVisible(false);
    for (const char* name : {"torn", "scrambled"}) {
        run(*app, "layout.apply");
        EXPECT_EQ(offered(*app), (QStringList{"good", "scrambled", "torn"}));
        type(*app, name);
        EXPECT_THAT(message(*app).toStdString(), ::testing::HasSubstr("damaged")) << name;
        EXPECT_TRUE(queue(*app).isHidden()) << name;
    }
    run(*app, "layout.apply");
    type(*app, "good");
    EXPECT_FALSE(queue(*app).isHidden());
}

TEST_F(LayoutsTest, TheSessionThatAFreshStartKeptIsNone) {
    fs::create_directories(folder());
    std::ofstream(folder() / "session.json") << R"({"runs": "20261120-100000-0001"})";
    StudioOptions options;
    options.restore = false;
    auto app = open(options);
    ASSERT_TRUE(fs::exists(folder() / "session.previous.json"));
    run(*app, "layout.apply");
    EXPECT_THAT(message(*app).toStdString(), ::testing::HasSubstr("Save layout"));
}

TEST_F(LayoutsTest, WithoutOneTheMessageNamesTheCommand) {
    auto app = open();
    run(*app, "layout.apply");
    EXPECT_THAT(message(*app).toStdString(), ::testing::HasSubstr("Save layout"));
}

}  // namespace
}  // namespace kurve::studio
