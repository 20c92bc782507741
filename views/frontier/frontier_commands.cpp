// The keys of the plane.
#include <array>

#include "views/common/shell/command_registry.h"
#include "views/frontier/frontier_panel.h"

namespace kurve::views {

void FrontierPanel::addCommands() {
    if (context().commands == nullptr) return;
    const CommandGroup add(context().commands, tr("Frontier"), chart_, "frontier.");
    FrontierChart* chart = chart_;
    chart->setAccessibleName(tr("Accuracy and diversity"));
    add("previous", tr("Previous point"), Qt::Key_Left, tr("Toward less diversity"),
        [chart] { chart->pinNext(-1); });
    add("next", tr("Next point"), Qt::Key_Right, tr("Toward more diversity"), [chart] { chart->pinNext(1); });
    add("slice_left", tr("Compare at lower diversity"), Qt::SHIFT | Qt::Key_Left, tr("Move diversity cursor"),
        [chart] { chart->nudgeSlice(-1); });
    add("slice_right", tr("Compare at higher diversity"), Qt::SHIFT | Qt::Key_Right,
        tr("Move diversity cursor"), [chart] { chart->nudgeSlice(1); });
    add("level_down", tr("Compare at lower quality"), Qt::SHIFT | Qt::Key_Down, tr("Move quality cursor"),
        [chart] { chart->nudgeLevel(-1); });
    add("level_up", tr("Compare at higher quality"), Qt::SHIFT | Qt::Key_Up, tr("Move quality cursor"),
        [chart] { chart->nudgeLevel(1); });
    add("open", tr("Denoise the point's first text"), Qt::Key_Return, tr("Open the trace in Inspect"),
        [chart] { chart->openPinned(); });
    add("select", tr("Select / deselect point"), Qt::Key_Space, tr("Selected points are listed in the table"),
        [chart] { chart->toggle(chart->pinned()); });
    add("select_none", tr("Clear selection"), Qt::Key_Escape, tr("Empties the table of selected points"),
        [chart] {
            chart->setLasso(false);
            chart->choose({});
        });
    add("lasso", tr("Lasso"), Qt::Key_L, tr("Drag around points to select them (also Shift+drag)"),
        [chart] { chart->setLasso(!chart->lasso()); });
    add("fit", tr("Fit axes"), Qt::Key_F, tr("Show every point"), [chart] { chart->fit(); });
    add("menu", tr("Context menu"), Qt::SHIFT | Qt::Key_F10, tr("Actions on the point, and exports"),
        [chart] { chart->openMenu(); });
    add("use_prompt", tr("Use in the prompt bar"), Qt::Key_U,
        tr("Decode the next prompts with the point's settings"), [this] { use(SamplerUse::Prompt); });
    add("use_draft", tr("Use in the draft"), Qt::SHIFT | Qt::Key_U,
        tr("Set the point's settings in the draft of the next training"), [this] { use(SamplerUse::Draft); });
    add("use_default", tr("Use as default sampler"), Qt::Key_D,
        tr("Prompts, evaluations and the command line decode the run with the point's settings; also the "
           "draft"),
        [this] { use(SamplerUse::Default); });
    addSweepCommands();
}

void FrontierPanel::addSweepCommands() {
    const CommandGroup group(context().commands, tr("Frontier"), this, "frontier.");
    const auto add = [&](const char* id, const QString& title, const QString& help, SweepAction action) {
        const QAction* added = group(id, title, {}, help, [this, action] { form_->carryOut(action); });
        return std::pair(added->objectName(), action);
    };
    const std::array commands{
        add("sweep", tr("Start sweep"),
            tr("Decode with every combination of the form, or resume; finished points are not repeated"),
            SweepAction::Start),
        add("pause", tr("Pause sweep"), tr("After the current point"), SweepAction::Pause),
        add("cancel", tr("Cancel sweep"), tr("Finished points are kept"), SweepAction::Cancel),
        add("estimate", tr("Estimate sweep"),
            tr("Measure the speed on a few sentences and estimate the time"), SweepAction::Estimate)};
    const auto show = [this, commands] {
        for (const auto& [id, action] : commands) context().commands->setRefusal(id, form_->refusal(action));
    };
    connect(form_, &SweepForm::refusalsChanged, this, show);
    show();
}

}  // namespace kurve::views
