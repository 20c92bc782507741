#pragma once

#include <gtest/gtest.h>

#include <QComboBox>
#include <QLabel>
#include <memory>

#include "tests/support/fake_services.h"
#include "tests/support/gui_app.h"
#include "views/common/theme/theme.h"
#include "views/schedule/schedule_panel.h"

namespace kurve::views {

/// The panel by itself, without a project.
class SchedulePanelTest : public ::testing::Test {
protected:
    SchedulePanelTest() {
        applyTheme(ThemeMode::Light, 1.0);
        const StudioContext context;
        services_.offerTo(context);
        panel_ = std::make_unique<SchedulePanel>(context);
        panel_->resize(1200, 760);
        panel_->show();
    }
    template <class T>
    T* find(const char* name) const {
        T* widget = panel_->findChild<T*>(QLatin1String(name));
        EXPECT_NE(widget, nullptr) << name;
        return widget;
    }
    void choose(const char* box, const char* id) const {
        auto* kinds = find<QComboBox>(box);
        kinds->setCurrentIndex(kinds->findData(QLatin1String(id)));
    }
    QString facts() const { return find<QLabel>("schedule.facts")->text(); }

    QApplication& app_ = test::guiApp();
    test::FakeServices services_;
    std::unique_ptr<SchedulePanel> panel_;
};

}  // namespace kurve::views
