#include "views/frontier/sampler_use.h"

#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/form/sampler_settings.h"
#include "views/common/services/draft_form.h"
#include "views/common/services/prompts.h"
#include "views/common/services/studio.h"
#include "views/common/shell/selection.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

using Settings = QMap<QString, QString>;

SamplerUsed useInPrompt(const StudioContext& context, const QString& run, const Settings& settings) {
    context.ask<Studio>().make(QStringLiteral("prompt"));
    Selection* selection = context.selection;
    const QStringList runs = selection->runs();
    selection->setPrimary(run);  // the prompt bar uses the first run
    const auto undo = context.ask<PromptBar>().useSampler(overDefaultSampler(context, run, settings));
    return {QObject::tr("Settings copied to the prompt bar."), [selection, runs, undo] {
                undo();
                selection->setRuns(runs);
            }};
}

SamplerUsed useAsDefault(const StudioContext& context, const QString& run, const Settings& settings) {
    Settings before;
    if (const auto data = context.catalog->data(run))
        for (const auto& [key, value] : data->defaultSampler) before[qt(key)] = qt(value);
    Samplers* samplers = &context.ask<Samplers>();
    samplers->save(run, settings);
    return {QObject::tr("Saved as the run's default sampler; copied to the draft."),
            [samplers, draft = context.ask<DraftForm>().useSettings(settings), run, before] {
                draft();
                samplers->save(run, before);
            }};
}

}  // namespace

SamplerUsed useSampler(const StudioContext& context, SamplerUse where, const QString& run,
                       const Settings& settings) {
    switch (where) {
        case SamplerUse::Prompt:
            return useInPrompt(context, run, settings);
        case SamplerUse::Default:
            return useAsDefault(context, run, settings);
        case SamplerUse::Draft:
            break;
    }
    return {QObject::tr("Settings copied to the draft."), context.ask<DraftForm>().useSettings(settings)};
}

Settings overDefaultSampler(const StudioContext& context, const QString& run, Settings settings) {
    const auto data = context.catalog != nullptr ? context.catalog->data(run) : nullptr;
    if (data == nullptr || context.engine == nullptr) return settings;
    RunData own;
    own.values = data->values;
    const auto config = decodingConfig(own, *context.engine);
    for (const auto& [key, value] : data->defaultSampler)
        if (config && config->has(key) && !settings.contains(qt(key)))
            settings[qt(key)] = qt(fieldValueText(config->value(key)));
    return settings;
}

}  // namespace kurve::views
