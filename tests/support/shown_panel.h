#pragma once

#include <memory>

#include "tests/support/gui_app.h"
#include "views/common/data/engine_info.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/panel.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"

namespace kurve::test {

/// A panel that is shown, with the parts of the studio that it talks to; a fixture inherits it beside
/// ::testing::Test. Light, at 100 %.
template <class PanelType>
class ShownPanel {
protected:
    ShownPanel(int width, int height) {
        views::applyTheme(views::ThemeMode::Light, 1.0);
        context_.commands = &commands_;
        context_.playhead = &playhead_;
        context_.selection = &selection_;
        context_.engine = &engine_;
        panel_ = std::make_unique<PanelType>(context_);
        panel_->resize(width, height);
        panel_->show();
    }
    /// A command of the panel, by its name without the panel's: press("first").
    void press(const char* command) {
        commands_.action(panel_->panelId() + QLatin1Char('.') + QLatin1String(command))->trigger();
    }

    QApplication& app_ = guiApp();
    views::CommandRegistry commands_;
    views::Playhead playhead_;
    views::Selection selection_;
    views::EngineInfo engine_;  ///< empty, as before the engine has said what it knows
    views::StudioContext context_;
    std::unique_ptr<PanelType> panel_;
};

}  // namespace kurve::test
