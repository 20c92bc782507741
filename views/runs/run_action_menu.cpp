#include "views/runs/run_action_menu.h"

#include <algorithm>

#include "core/config/first_checkpoint.h"
#include "core/store/project.h"
#include "views/common/data/engine_info.h"
#include "views/common/data/run_catalog.h"
#include "views/common/shell/command_registry.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

/// Preconditions.
enum Need : unsigned char {
    Nothing = 0,
    Ended = 1,         ///< it is not training
    Unfinished = 2,    ///< it stopped before its last step
    Checkpoint = 4,    ///< it has a checkpoint
    KnownFamily = 8,   ///< the engine can build its model
    OwnRun = 16,       ///< trained here: bundled runs have no optimizer state
    Contents = 32,     ///< it has a trace or a checkpoint
    OtherMachine = 64  ///< it is a copy of a run on another machine
};

struct Entry {
    const char *command, *title, *help;
    int needs;
};

// In the order of RunAction.
constexpr Entry kTable[] = {
    {"run.resume", QT_TRANSLATE_NOOP("RunActionMenu", "Resume the selected run"),
     QT_TRANSLATE_NOOP("RunActionMenu",
                       "Resume training exactly from its last checkpoint, on the machine that trained "
                       "it"),
     Ended | Unfinished | Checkpoint | KnownFamily},
    {"run.extend", QT_TRANSLATE_NOOP("RunActionMenu", "Extend the selected run…"),
     QT_TRANSLATE_NOOP("RunActionMenu", "Train a given number of steps beyond its planned end"),
     Ended | Checkpoint | KnownFamily | OwnRun},
    {"run.reproduce", QT_TRANSLATE_NOOP("RunActionMenu", "Reproduce the selected run"),
     QT_TRANSLATE_NOOP("RunActionMenu",
                       "Train it again with the same settings, seeds and threads, and report the first "
                       "step that differs"),
     Ended | KnownFamily | OwnRun},
    {"run.fork", QT_TRANSLATE_NOOP("RunActionMenu", "Fork the selected run…"),
     QT_TRANSLATE_NOOP("RunActionMenu", "Train a new run from one of its checkpoints, with changes"),
     Checkpoint | KnownFamily},
    {"run.draft", QT_TRANSLATE_NOOP("RunActionMenu", "Use its settings as a draft"),
     QT_TRANSLATE_NOOP("RunActionMenu", "Copy this run's settings into the form of the Train workspace"),
     KnownFamily},
    {"run.evaluate", QT_TRANSLATE_NOOP("RunActionMenu", "Evaluate the selected runs…"),
     QT_TRANSLATE_NOOP("RunActionMenu", "Score a checkpoint on a split; the scores are saved with the run"),
     Checkpoint | KnownFamily},
    {"run.open_trace", QT_TRANSLATE_NOOP("RunActionMenu", "Open latest trace"),
     QT_TRANSLATE_NOOP("RunActionMenu",
                       "The latest trace of the selected run, or a prompt for its model, in Inspect"),
     Contents},
    {"run.distil", QT_TRANSLATE_NOOP("RunActionMenu", "Distil the selected run"),
     QT_TRANSLATE_NOOP("RunActionMenu",
                       "Generate a corpus of its outputs for its training sources; other runs train on it "
                       "with data.kind = kd"),
     Checkpoint | KnownFamily},
    {"run.fetch", QT_TRANSLATE_NOOP("RunActionMenu", "Fetch its checkpoints"),
     QT_TRANSLATE_NOOP("RunActionMenu",
                       "Copy the weights of all checkpoints from the machine that trains it; the inspector "
                       "fetches single ones"),
     OtherMachine | Checkpoint},
    {"run.follow", QT_TRANSLATE_NOOP("RunActionMenu", "Follow the selected run"),
     QT_TRANSLATE_NOOP("RunActionMenu", "Connect again to the machine that trains it, and catch up"),
     Ended | OtherMachine},
};
static_assert(std::size(kTable) == kRunActions);

QString translated(const char* text) {
    return QCoreApplication::translate("RunActionMenu", text);
}

bool isKnown(const store::RunSummary& run, const EngineInfo& engine) {
    return engine.families().empty() || engine.family(run.family) != nullptr;
}

/// For a live run: when the first one is due.
QString noCheckpoint(const store::RunSummary& run, const RunData& data, const EngineInfo& engine) {
    const auto text = data.values.find("config");
    if (!isLive(run) || text == data.values.end()) return translated("It has no checkpoint.");
    const auto config = RunConfig::parse(text->second, "run.db", engine.schemas());
    const auto first = config ? firstCheckpoint(*config, data.values) : std::nullopt;
    if (!first) return translated("It has no checkpoint yet; F8 makes one now.");
    const QString step = countText(first->step);
    if (run.state == "paused")
        return translated(
                   "It has no checkpoint yet: the first comes at step %1, after the training is resumed. F8 "
                   "makes one now.")
            .arg(step);
    if (first->seconds < 0)
        return translated("It has no checkpoint yet: the first comes at step %1. F8 makes one now.")
            .arg(step);
    return translated(
               "It has no checkpoint yet: the first comes at step %1, in about %2 at the present speed. "
               "F8 makes one now.")
        .arg(step, durationText(first->seconds));
}

}  // namespace

bool isLive(const store::RunSummary& run) {
    return run.state == "running" || run.state == "paused" || run.state == "stopping";
}

QString refusal(RunAction action, const store::RunSummary* run, const RunData* data,
                const EngineInfo& engine) {
    if (run == nullptr) return translated("Select a run first.");
    const int needs = kTable[static_cast<std::size_t>(action)].needs;
    if (action == RunAction::Resume && run->state == "paused") return {};
    if ((needs & OtherMachine) != 0 && run->machine.empty())
        return translated("It was trained on this machine.");
    if (action == RunAction::Follow && isLive(*run)) return translated("It is followed already.");
    if ((needs & Ended) != 0 && isLive(*run)) return translated("It is training; stop it first (Shift+F5).");
    if ((needs & OwnRun) != 0 && run->bundled)
        return translated("It comes with Kurve, without its optimizer state; fork it or use its settings.");
    if ((needs & KnownFamily) != 0 && !isKnown(*run, engine))
        return translated("The engine has no model family “%1”.").arg(QString::fromStdString(run->family));
    if ((needs & Unfinished) != 0 && run->state == "completed" && run->step >= run->totalSteps)
        return run->bundled ? translated("It has done all its steps.")
                            : translated("It has done all its steps; extend it instead.");
    if (data == nullptr) return {};
    if ((needs & Checkpoint) != 0 && data->checkpoints.empty()) return noCheckpoint(*run, *data, engine);
    if ((needs & Contents) != 0 && data->checkpoints.empty() && data->traces.empty())
        return translated("It has neither a trace nor a checkpoint.");
    return {};
}

std::int64_t plannedEnd(const store::RunSummary& run) {
    return std::max(run.step, run.totalSteps);
}

const char* RunActionMenu::command(RunAction action) {
    return kTable[static_cast<std::size_t>(action)].command;
}

RunActionMenu::RunActionMenu(CommandRegistry& commands, QObject* parent)
    : QObject(parent), commands_(commands) {
    for (std::size_t i = 0; i < kRunActions; ++i) {
        const Entry& entry = kTable[i];
        actions_[i] = commands.add({QLatin1String(entry.command),
                                    translated(entry.title),
                                    QObject::tr("Run"),
                                    {},
                                    translated(entry.help)},
                                   [this, action = static_cast<RunAction>(i)] { Q_EMIT chosen(action); });
    }
}

void RunActionMenu::setRun(const store::RunSummary* run, const RunData* data, const EngineInfo& engine) {
    for (std::size_t i = 0; i < kRunActions; ++i)
        commands_.setRefusal(QLatin1String(kTable[i].command),
                             refusal(static_cast<RunAction>(i), run, data, engine));
}

}  // namespace kurve::views
