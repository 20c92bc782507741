#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/gui_app.h"
#include "views/common/command_registry.h"
#include "views/common/playhead.h"
#include "views/common/selection.h"
#include "views/common/theme.h"
#include "views/prompt/prompt_panel.h"

namespace kurve::views {

/// The prompt bar without a project, with the run "run-1" selected; collects its requests.
class PromptPanelTest : public ::testing::Test {
protected:
    PromptPanelTest() {
        applyTheme(ThemeMode::Light, 1.0);
        context_.commands = &commands_;
        context_.playhead = &playhead_;
        context_.selection = &selection_;
        selection_.setRuns({"run-1"});
        panel_ = std::make_unique<PromptPanel>(context_);
        QObject::connect(panel_.get(), &PromptPanel::requested,
                         [this](const PromptRequest& r) { requested_.push_back(r); });
    }
    template <class T>
    T* find(const char* name) {
        return panel_->findChild<T*>(QLatin1String(name));
    }
    QApplication& app_ = test::guiApp();
    CommandRegistry commands_;
    Playhead playhead_;
    Selection selection_;
    StudioContext context_;
    std::unique_ptr<PromptPanel> panel_;
    std::vector<PromptRequest> requested_;
};

}  // namespace kurve::views
