#include "app/studio/point_actions.h"

#include "app/studio/main_window.h"
#include "views/common/sampler_settings.h"
#include "views/frontier/frontier_panel.h"
#include "views/launch/launch_panel.h"
#include "views/prompt/prompt_panel.h"

namespace kurve::studio {

using namespace views;

namespace {

using Settings = QMap<QString, QString>;
using Undo = std::function<void()>;

void useInPrompt(FrontierPanel& frontier, MainWindow& window, ProjectSession& session, const QString& runId,
                 const Settings& settings) {
    window.makePanels(WorkspaceId::Inspect);
    auto* prompt =
        qobject_cast<PromptPanel*>(window.workspace(WorkspaceId::Inspect).panel(QStringLiteral("prompt")));
    if (prompt == nullptr) return;
    const QStringList runs = session.selection.runs();
    const PromptRequest before = prompt->request();
    if (runs.value(0) != runId) {  // the prompt bar uses the first run
        QStringList order = runs;
        order.removeAll(runId);
        order.prepend(runId);
        session.selection.setRuns(order);
    }
    prompt->useSampler(overDefaultSampler(session, runId, settings));
    window.say(MainWindow::tr("The next prompts use these settings."));
    frontier.details().offerUndo(MainWindow::tr("Settings copied to the prompt bar."),
                                 [&session, prompt, runs, before] {
                                     session.selection.setRuns(runs);
                                     prompt->restoreSampler(before);
                                 });
}

/// Copies the settings into the form; returns the undo.
Undo putInDraft(MainWindow& window, const Settings& settings) {
    window.makePanels(WorkspaceId::Train);
    LaunchPanel* launch = window.launchPanel();
    if (launch == nullptr) return [] {};
    Settings before;
    for (auto it = settings.begin(); it != settings.end(); ++it)
        before[it.key()] = launch->draft().valueText(it.key());
    launch->useSettings(settings);
    return [launch, before] { launch->useSettings(before); };
}

void useAsDefault(FrontierPanel& frontier, MainWindow& window, ProjectSession& session, const QString& runId,
                  const Settings& settings) {
    Settings before;
    if (const auto data = session.catalog.data(runId))
        for (const auto& [key, value] : data->defaultSampler)
            before[QString::fromStdString(key)] = QString::fromStdString(value);
    const Undo draft = putInDraft(window, settings);
    session.samplers.save(runId, settings);
    frontier.details().offerUndo(MainWindow::tr("Saved as the run's default sampler; copied to the draft."),
                                 [&session, draft, runId, before] {
                                     draft();
                                     session.samplers.save(runId, before);
                                 });
}

}  // namespace

Settings overDefaultSampler(const ProjectSession& session, const QString& run, Settings settings) {
    const auto data = session.catalog.data(run);
    if (data == nullptr) return settings;
    RunData own;
    own.values = data->values;
    const auto config = decodingConfig(own, session.engine.info());
    for (const auto& [key, value] : data->defaultSampler) {
        const QString name = QString::fromStdString(key);
        if (config && config->has(key) && !settings.contains(name))
            settings[name] = QString::fromStdString(fieldValueText(config->value(key)));
    }
    return settings;
}

void wirePointActions(FrontierPanel& frontier, MainWindow& window, ProjectSession& session) {
    QObject::connect(&frontier, &FrontierPanel::samplerWanted, &window,
                     [&](SamplerUse use, const QString& runId, const Settings& settings) {
                         switch (use) {
                             case SamplerUse::Prompt:
                                 return useInPrompt(frontier, window, session, runId, settings);
                             case SamplerUse::Default:
                                 return useAsDefault(frontier, window, session, runId, settings);
                             case SamplerUse::Draft:
                                 frontier.details().offerUndo(MainWindow::tr("Settings copied to the draft."),
                                                              putInDraft(window, settings));
                         }
                     });
}

}  // namespace kurve::studio
