// The keys of the plane.
#include "views/common/command_registry.h"
#include "views/frontier/frontier_panel.h"

namespace kurve::views {

void FrontierPanel::addCommands() {
    if (context().commands == nullptr) return;
    const auto add = [this](const char* id, const QString& title, const QKeySequence& keys,
                            const QString& help, std::function<void()> run) {
        context().commands->add(
            {QLatin1String("frontier.") + QLatin1String(id), title, tr("Frontier"), keys, help},
            std::move(run), chart_);
    };
    FrontierChart* chart = chart_;
    chart->setAccessibleName(tr("Accuracy and diversity"));
    add("previous", tr("Dot before"), Qt::Key_Left, tr("The dot with less diversity"),
        [chart] { chart->pinNext(-1); });
    add("next", tr("Dot after"), Qt::Key_Right, tr("The dot with more diversity"),
        [chart] { chart->pinNext(1); });
    add("slice_left", tr("Compare at less diversity"), Qt::SHIFT | Qt::Key_Left,
        tr("Move the upright line of comparison"), [chart] { chart->nudgeSlice(-1); });
    add("slice_right", tr("Compare at more diversity"), Qt::SHIFT | Qt::Key_Right,
        tr("Move the upright line of comparison"), [chart] { chart->nudgeSlice(1); });
    add("level_down", tr("Compare at less quality"), Qt::SHIFT | Qt::Key_Down,
        tr("Move the level line of comparison"), [chart] { chart->nudgeLevel(-1); });
    add("level_up", tr("Compare at more quality"), Qt::SHIFT | Qt::Key_Up,
        tr("Move the level line of comparison"), [chart] { chart->nudgeLevel(1); });
    add("open", tr("Denoise the dot's first text"), Qt::Key_Return, tr("Watch it in Inspect"),
        [chart] { chart->openPinned(); });
    add("gather", tr("Gather the dot, or let it go"), Qt::Key_Space, tr("Into the table of dots"),
        [chart] { chart->toggle(chart->pinned()); });
    add("gather_none", tr("Let all dots go"), Qt::Key_Escape, tr("Empties the table of dots"), [chart] {
        chart->setLasso(false);
        chart->choose({});
    });
    add("lasso", tr("Lasso"), Qt::Key_L, tr("A drag gathers the dots it goes around (Shift and drag, too)"),
        [chart] { chart->setLasso(!chart->lasso()); });
    add("fit", tr("Fit the plane"), Qt::Key_F, tr("Show every dot"), [chart] { chart->fit(); });
    add("menu", tr("Menu of the dot"), Qt::SHIFT | Qt::Key_F10, tr("What can be done with it, and exports"),
        [chart] { chart->askMenu(); });
    add("use_prompt", tr("Use in the prompt bar"), Qt::Key_U,
        tr("The next prompts are decoded with the dot's settings"), [this] { use(SamplerUse::Prompt); });
    add("use_draft", tr("Use in the draft"), Qt::SHIFT | Qt::Key_U,
        tr("The next training samples with the dot's settings"), [this] { use(SamplerUse::Draft); });
    add("use_default", tr("Use as default sampler"), Qt::Key_D,
        tr("Prompts, evaluations and the command line decode the run with the dot's settings; the draft too"),
        [this] { use(SamplerUse::Default); });
    addSweepCommands();
}

void FrontierPanel::addSweepCommands() {
    struct Row {
        const char* id;
        QString title, help;
        SweepDeed deed;
    };
    const std::vector<Row> rows{
        {"frontier.sweep", tr("Start the sweep"),
         tr("Decode with every combination of the form, or go on; what is known is not computed again"),
         SweepDeed::Start},
        {"frontier.pause", tr("Pause the sweep"), tr("After the point that is being measured"),
         SweepDeed::Pause},
        {"frontier.cancel", tr("Cancel the sweep"), tr("Finished points are kept"), SweepDeed::Cancel},
        {"frontier.estimate", tr("Estimate the sweep"),
         tr("Measure the speed on a few sentences and say how long it will take"), SweepDeed::Estimate}};
    for (const Row& row : rows)
        context().commands->add(
            {QLatin1String(row.id), row.title, tr("Frontier"), {}, row.help},
            [this, deed = row.deed] { form_->carryOut(deed); }, this);
    const auto show = [this, rows] {
        for (const Row& row : rows)
            context().commands->setRefusal(QLatin1String(row.id), form_->refusal(row.deed));
    };
    connect(form_, &SweepForm::refusalsChanged, this, show);
    show();
}

}  // namespace kurve::views
