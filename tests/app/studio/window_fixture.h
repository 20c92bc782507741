#pragma once

#include <gtest/gtest.h>

#include <QDir>
#include <QSettings>
#include <QTest>

#include "app/studio/studio_app.h"
#include "app/studio/window/main_window.h"
#include "tests/app/studio/synthetic_run.h"
#include "tests/support/gui_app.h"
#include "tests/support/temporary_folder.h"

namespace kurve::studio {

/// The limit only ends a test that has failed; a busy machine may take its time.
template <class Condition>
bool soon(Condition condition) {
    return QTest::qWaitFor(condition, 30000);
}

class WindowTest : public ::testing::Test {
protected:
    void SetUp() override {
        test::guiApp();
        qputenv("XDG_CACHE_HOME", (home_ / "cache").c_str());
        qputenv("XDG_CONFIG_HOME", (home_ / "config").c_str());
        QSettings::setPath(QSettings::NativeFormat, QSettings::UserScope,
                           QString::fromStdString((home_ / "config").string()));
        qputenv("KURVE_ENGINE", KURVE_FAKE_ENGINE);
        qputenv("KURVE_FAKE", "");
        qputenv("KURVE_FAKE_STEPS", "100000");
        testing::writeSyntheticProject(project_.path());
        testing::writeSyntheticRun(project_.path(),
                                   {"20261120-100000-0001", "first", "completed", "", 200, 1});
        testing::writeSyntheticRun(
            project_.path(), {"20261120-110000-0002", "second", "failed", "the loss was not finite", 120, 2});
    }
    std::unique_ptr<StudioApp> open(StudioOptions options = {}) {
        options.project = QString::fromStdString(project_.path().string());
        options.theme = views::ThemeMode::Light;
        auto app = std::make_unique<StudioApp>(options);
        app->start();
        EXPECT_TRUE(soon([&] {
            return app->session()->catalog.runs().size() >= 2 &&
                   !app->session()->engine.info().families().empty();
        }));
        return app;
    }
    testing::TemporaryFolder home_, project_;
};

template <class T>
T& panelOf(StudioApp& app, const char* id) {
    return *qobject_cast<T*>(app.window()->panel(QLatin1String(id)));
}

template <class T>
T* panelOf(StudioApp& app, WorkspaceId workspace, const char* id) {
    return qobject_cast<T*>(app.window()->workspace(workspace).panel(QLatin1String(id)));
}

}  // namespace kurve::studio
