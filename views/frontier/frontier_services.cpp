// What the panel asks the studio and other panels for: sweeps, and the uses of a point's settings.
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/services/draft_form.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/selection.h"
#include "views/frontier/frontier_panel.h"
#include "views/frontier/sweeps.h"

namespace kurve::views {

using Settings = QMap<QString, QString>;

void FrontierPanel::connectSweeps() {
    Sweeps* sweeps = &ask<Sweeps>();
    connect(form_, &SweepForm::requested, sweeps, &Sweeps::start);
    connect(form_, &SweepForm::pauseRequested, sweeps, &Sweeps::pause);
    connect(form_, &SweepForm::cancelRequested, sweeps, &Sweeps::cancel);
    connect(form_, &SweepForm::draftChanged, this, &FrontierPanel::stateChanged);
    connect(sweeps, &Sweeps::statusChanged, form_, &SweepForm::setStatus);
    connect(sweeps, &Sweeps::pointsChanged, this, &FrontierPanel::reload);
    form_->setStatus(sweeps->status());
}

void FrontierPanel::use(SamplerUse where) {
    const auto* point = pointAt(chart_->pinned());
    if (point == nullptr) return Q_EMIT statusMessage(tr("No point is selected; click one."));
    Settings settings;
    for (const auto& [key, value] : point->settings)
        settings[QString::fromStdString(key)] = QString::fromStdString(value);
    if (settings.isEmpty()) return Q_EMIT statusMessage(tr("This point has the run's own settings."));
    const QString run = plane_.curves[static_cast<std::size_t>(chart_->pinned().curve)].runId;
    switch (where) {
        case SamplerUse::Prompt:
            return useInPrompt(run, settings);
        case SamplerUse::Default:
            return useAsDefault(run, settings);
        case SamplerUse::Draft:
            return details_->offerUndo(tr("Settings copied to the draft."), useInDraft(settings));
    }
}

void FrontierPanel::useInPrompt(const QString& run, const Settings& settings) {
    ask<Studio>().make(QStringLiteral("prompt"));
    Selection* selection = context().selection;
    const QStringList runs = selection->runs();
    selection->setPrimary(run);  // the prompt bar uses the first run
    const auto undo = ask<PromptBar>().useSampler(overDefaultSampler(run, settings));
    Q_EMIT statusMessage(tr("The next prompts use these settings."));
    details_->offerUndo(tr("Settings copied to the prompt bar."), [selection, runs, undo] {
        undo();
        selection->setRuns(runs);
    });
}

void FrontierPanel::useAsDefault(const QString& run, const Settings& settings) {
    Settings before;
    if (const auto data = context().catalog->data(run))
        for (const auto& [key, value] : data->defaultSampler)
            before[QString::fromStdString(key)] = QString::fromStdString(value);
    Samplers* samplers = &ask<Samplers>();
    samplers->save(run, settings);
    details_->offerUndo(tr("Saved as the run's default sampler; copied to the draft."),
                        [samplers, draft = useInDraft(settings), run, before] {
                            draft();
                            samplers->save(run, before);
                        });
}

std::function<void()> FrontierPanel::useInDraft(const Settings& settings) const {
    return ask<DraftForm>().useSettings(settings);
}

Settings FrontierPanel::overDefaultSampler(const QString& run, Settings settings) const {
    const auto data = context().catalog != nullptr ? context().catalog->data(run) : nullptr;
    if (data == nullptr || context().engine == nullptr) return settings;
    RunData own;
    own.values = data->values;
    const auto config = decodingConfig(own, *context().engine);
    for (const auto& [key, value] : data->defaultSampler) {
        const QString name = QString::fromStdString(key);
        if (config && config->has(key) && !settings.contains(name))
            settings[name] = QString::fromStdString(fieldValueText(config->value(key)));
    }
    return settings;
}

}  // namespace kurve::views
