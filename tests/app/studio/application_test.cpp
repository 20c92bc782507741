// What is thrown into the event loop ends neither the window nor the program.
#include "app/studio/studio_application.h"

#include <gmock/gmock.h>

#include <QLabel>
#include <QPushButton>

#include "tests/app/studio/window_fixture.h"
#include "views/common/data/background.h"

/// What is thrown here passes Qt's delivery of events, which leaks what it holds then.
extern "C" __attribute__((visibility("default"))) const char*
__lsan_default_options() {  // NOLINT(bugprone-reserved-identifier)
    return "detect_leaks=0";
}

namespace kurve::studio {
namespace {

class ApplicationTest : public WindowTest {
protected:
    static void SetUpTestSuite() {
        qputenv("QT_QPA_PLATFORM", "offscreen");
        static int count = 1;
        static char name[] = "test";
        static char* arguments[] = {name, nullptr};
        static auto* app = new StudioApplication(count, arguments);
        (void)app;
    }
    static bool says(StudioApp& app, const char* text) {
        const auto* message = app.window()->findChild<QLabel*>("status.message");
        return soon([&] { return message->text().contains(QLatin1String(text)); });
    }
};

TEST_F(ApplicationTest, AnExceptionOfAnEventIsReportedAndLogged) {
    auto app = open();
    app->window()->show();
    ::testing::internal::CaptureStderr();
    QMetaObject::invokeMethod(
        app->window(), [] { throw std::runtime_error("position three is missing"); }, Qt::QueuedConnection);
    EXPECT_TRUE(says(*app, "position three is missing"));
    EXPECT_THAT(::testing::internal::GetCapturedStderr(), ::testing::HasSubstr("position three is missing"));
    QPushButton button(app->window());
    QObject::connect(&button, &QPushButton::clicked, [] { (void)nlohmann::json().at("key"); });
    button.show();
    QTest::mouseClick(&button, Qt::LeftButton);
    EXPECT_TRUE(says(*app, "type_error"));
    QObject::disconnect(&button, &QPushButton::clicked, nullptr, nullptr);
    QObject::connect(&button, &QPushButton::pressed, [] { throw 3; });  // NOLINT: not even an exception
    QTest::mouseClick(&button, Qt::LeftButton);
    EXPECT_TRUE(says(*app, "unknown exception"));
    EXPECT_TRUE(app->window()->isVisible());
    app->window()->openWorkspace(WorkspaceId::Compare);
    EXPECT_TRUE(app->window()->workspace(WorkspaceId::Compare).isVisible());
}

TEST_F(ApplicationTest, AnExceptionOfWorkInTheBackgroundToo) {
    auto app = open();
    views::Background work;
    bool done = false;
    work.run([]() -> int { throw std::runtime_error("a worker gave up"); }, [&](int) { done = true; });
    EXPECT_TRUE(says(*app, "a worker gave up"));
    EXPECT_FALSE(done);
}

}  // namespace
}  // namespace kurve::studio
