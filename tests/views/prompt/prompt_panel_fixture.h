#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "tests/support/fake_services.h"
#include "tests/support/gui_app.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/playhead.h"
#include "views/common/shell/selection.h"
#include "views/common/theme/theme.h"
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
        services_.offerTo(context_);
        context_.services->offer<Trainings>(trainings_);
        panel_ = std::make_unique<PromptPanel>(context_);
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
    void answer(const PromptAnswer& answer) { services_.prompts.answer("run-1", answer); }
    struct : Trainings {
        void setModels(std::vector<LiveModel> models) {
            models_ = std::move(models);
            Q_EMIT changed();
        }
        std::vector<LiveModel> models() const override { return models_; }
        std::vector<LiveModel> models_;
    } trainings_;
    test::FakeServices services_;
    std::unique_ptr<PromptPanel> panel_;
    const std::vector<PromptRequest>& requested_ = services_.prompts.requests;
};

}  // namespace kurve::views
