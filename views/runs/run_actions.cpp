#include "views/runs/run_actions.h"

#include <QAction>
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

struct Row {
    const char *command, *title, *help, *menu;
    QKeyCombination key = QKeyCombination(Qt::Key(0));
    int needs = Nothing;
};

constexpr const char *kRun = "Run", *kOfRun = "Run/Selected run", *kOther = "Run/Other machine",
                     *kList = "Run/Run list", *kCharts = "Run/Run list/Charts",
                     *kTrash = "Run/Run list/Trash";
constexpr QKeyCombination kNoKey{Qt::Key(0)};

// In the order of RunAction.
constexpr Row kTable[] = {
    {"run.start", QT_TR_NOOP("Start"), QT_TR_NOOP("Train the current draft"), kRun, Qt::Key_F5},
    {"run.queue", QT_TR_NOOP("Add to queue"), QT_TR_NOOP("Queue the current draft"), kRun,
     Qt::CTRL | Qt::Key_F5},
    {"run.measure", QT_TR_NOOP("Dry run"),
     QT_TR_NOOP("Measure ten steps of the draft: step time, memory, total time"), kRun,
     Qt::CTRL | Qt::SHIFT | Qt::Key_F5},
    {"run.pause", QT_TR_NOOP("Pause"), QT_TR_NOOP("Pause with the model loaded, or resume"), kRun,
     Qt::Key_F6},
    {"run.stop", QT_TR_NOOP("Stop"),
     QT_TR_NOOP("Finish the step, write a checkpoint and stop; press again to stop immediately"), kRun,
     Qt::SHIFT | Qt::Key_F5},
    {"run.sample", QT_TR_NOOP("Sample now"), QT_TR_NOOP("Decode the fixed prompts with the current model"),
     kRun, Qt::Key_F7},
    {"run.checkpoint", QT_TR_NOOP("Checkpoint now"), QT_TR_NOOP("Write a checkpoint at the next step"), kRun,
     Qt::Key_F8},
    {"run.resume", QT_TR_NOOP("Resume the selected run"),
     QT_TR_NOOP("Resume training exactly from its last checkpoint, on the machine that trained it"), kOfRun,
     kNoKey, Ended | Unfinished | Checkpoint | KnownFamily},
    {"run.extend", QT_TR_NOOP("Extend the selected run…"),
     QT_TR_NOOP("Train a given number of steps beyond its planned end"), kOfRun, kNoKey,
     Ended | Checkpoint | KnownFamily | OwnRun},
    {"run.reproduce", QT_TR_NOOP("Reproduce the selected run"),
     QT_TR_NOOP("Train it again with the same settings, seeds and threads, and report the first step that "
                "differs"),
     kOfRun, kNoKey, Ended | KnownFamily | OwnRun},
    {"run.fork", QT_TR_NOOP("Fork the selected run…"),
     QT_TR_NOOP("Train a new run from one of its checkpoints, with changes"), kOfRun, kNoKey,
     Checkpoint | KnownFamily},
    {"run.draft", QT_TR_NOOP("Use its settings as a draft"),
     QT_TR_NOOP("Copy this run's settings into the form of the Train workspace"), kOfRun, kNoKey,
     KnownFamily},
    {"run.evaluate", QT_TR_NOOP("Evaluate the selected runs…"),
     QT_TR_NOOP("Score a checkpoint on a split; the scores are saved with the run"), kOfRun, kNoKey,
     Checkpoint | KnownFamily},
    {"run.open_trace", QT_TR_NOOP("Open latest trace"),
     QT_TR_NOOP("The latest trace of the selected run, or a prompt for its model, in Inspect"), kOfRun,
     kNoKey, Contents},
    {"run.distil", QT_TR_NOOP("Distil the selected run"),
     QT_TR_NOOP("Generate a corpus of its outputs for its training sources; other runs train on it with "
                "data.kind = kd"),
     kOfRun, kNoKey, Checkpoint | KnownFamily},
    {"run.fetch", QT_TR_NOOP("Fetch its checkpoints"),
     QT_TR_NOOP("Copy the weights of all checkpoints from the machine that trains it; the inspector fetches "
                "single ones"),
     kOther, kNoKey, OtherMachine | Checkpoint},
    {"run.follow", QT_TR_NOOP("Follow the selected run"),
     QT_TR_NOOP("Connect again to the machine that trains it, and catch up"), kOther, kNoKey,
     Ended | OtherMachine},
    {"run.check_determinism", QT_TR_NOOP("Check determinism"),
     QT_TR_NOOP("Retrain the selected run between its last two checkpoints and compare bitwise; run again to "
                "cancel"),
     kOfRun},
    {"checkpoint.pin", QT_TR_NOOP("Pin / unpin the selected checkpoint"),
     QT_TR_NOOP("A pinned checkpoint is never pruned"), kOfRun},
    {"checkpoint.prune", QT_TR_NOOP("Prune the checkpoints of the selected run…"),
     QT_TR_NOOP("Shows in the inspector what pruning frees; its button prunes"), kOfRun},
    {"runs.compare", QT_TR_NOOP("Compare selected runs"), QT_TR_NOOP("Overlay runs"), kList, Qt::Key_Return},
    {"runs.star", QT_TR_NOOP("Star"), QT_TR_NOOP("Star or unstar the selected runs"), kList, Qt::Key_S},
    {"runs.rename", QT_TR_NOOP("Rename run"), QT_TR_NOOP("Edit the name of the run"), kList, Qt::Key_F2},
    {"runs.tags", QT_TR_NOOP("Edit tags"), QT_TR_NOOP("Edit the tags of the run in the inspector"), kList,
     Qt::Key_T},
    {"runs.notes", QT_TR_NOOP("Edit notes"), QT_TR_NOOP("Edit the notes of the run in the inspector"), kList,
     Qt::Key_N},
    {"runs.baseline", QT_TR_NOOP("Set / clear baseline run"),
     QT_TR_NOOP("Adds columns with the difference of each run from the baseline"), kList, Qt::Key_B},
    {"runs.colours", QT_TR_NOOP("Reassign colours to the selection"),
     QT_TR_NOOP("Assign the most distinct colours to the selected runs"), kCharts},
    {"runs.hide", QT_TR_NOOP("Show / hide in charts"),
     QT_TR_NOOP("Show or hide the selected runs in all charts"), kCharts, Qt::Key_H},
    {"runs.show_all", QT_TR_NOOP("Show all hidden runs"), QT_TR_NOOP("Show every hidden run in charts"),
     kCharts, Qt::SHIFT | Qt::Key_H},
    {"runs.trash", QT_TR_NOOP("Move to trash"),
     QT_TR_NOOP("Move the selected runs to the trash; files stay on disk; Ctrl+Z undoes it"), kTrash,
     Qt::Key_Delete},
    {"runs.archive", QT_TR_NOOP("Archive"),
     QT_TR_NOOP("Archive / unarchive the selected runs; tag:archived shows them"), kTrash, Qt::Key_A},
    {"runs.purge", QT_TR_NOOP("Empty the trash"),
     QT_TR_NOOP("Frees disk space; asks for confirmation and shows the size"), kTrash},
};
static_assert(std::size(kTable) == kRunActions);

const Row& rowOf(RunAction action) {
    return kTable[static_cast<std::size_t>(action)];
}

bool isKnown(const store::RunSummary& run, const EngineInfo& engine) {
    return engine.families().empty() || engine.family(run.family) != nullptr;
}

/// For a live run: when the first one is due.
QString noCheckpoint(const store::RunSummary& run, const RunData& data, const EngineInfo& engine) {
    const std::string text = data.value("config");
    if (!isLive(run) || text.empty()) return QObject::tr("It has no checkpoint.");
    const auto config = engine.recorded(text);
    const auto first = config ? firstCheckpoint(*config, data.values) : std::nullopt;
    if (!first) return QObject::tr("It has no checkpoint yet; F8 makes one now.");
    const QString step = countText(first->step);
    if (run.state == "paused")
        return QObject::tr(
                   "It has no checkpoint yet: the first comes at step %1, after the training is resumed. F8 "
                   "makes one now.")
            .arg(step);
    if (first->seconds < 0)
        return QObject::tr("It has no checkpoint yet: the first comes at step %1. F8 makes one now.")
            .arg(step);
    return QObject::tr(
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
    const int needs = rowOf(action).needs;
    if (needs == Nothing) return {};
    if (run == nullptr) return QObject::tr("Select a run first.");
    if (action == RunAction::Resume && run->state == "paused") return {};
    if ((needs & OtherMachine) != 0 && run->machine.empty())
        return QObject::tr("It was trained on this machine.");
    if (action == RunAction::Follow && isLive(*run)) return QObject::tr("It is followed already.");
    if ((needs & Ended) != 0 && isLive(*run)) return QObject::tr("It is training; stop it first (Shift+F5).");
    if ((needs & OwnRun) != 0 && run->bundled)
        return QObject::tr("It comes with Kurve, without its optimizer state; fork it or use its settings.");
    if ((needs & KnownFamily) != 0 && !isKnown(*run, engine))
        return QObject::tr("The engine has no model family “%1”.").arg(QString::fromStdString(run->family));
    if ((needs & Unfinished) != 0 && run->state == "completed" && run->step >= run->totalSteps)
        return run->bundled ? QObject::tr("It has done all its steps.")
                            : QObject::tr("It has done all its steps; extend it instead.");
    if (data == nullptr) return {};
    if ((needs & Checkpoint) != 0 && data->checkpoints.empty()) return noCheckpoint(*run, *data, engine);
    if ((needs & Contents) != 0 && data->checkpoints.empty() && data->traces.empty())
        return QObject::tr("It has neither a trace nor a checkpoint.");
    return {};
}

std::int64_t plannedEnd(const store::RunSummary& run) {
    return std::max(run.step, run.totalSteps);
}

const char* commandOf(RunAction action) {
    return rowOf(action).command;
}

QString helpOf(RunAction action) {
    return QObject::tr(rowOf(action).help);
}

const char* menuOf(const QString& command) {
    const auto row =
        std::ranges::find(kTable, command, [](const Row& one) { return QString::fromLatin1(one.command); });
    return row == std::end(kTable) ? nullptr : row->menu;
}

QAction* addRunAction(CommandRegistry& commands, RunAction action, std::function<void()> run,
                      QWidget* scope) {
    const Row& row = rowOf(action);
    Command command{
        QLatin1String(row.command), QObject::tr(row.title), QObject::tr("Run"), {}, QObject::tr(row.help)};
    if (row.key != kNoKey) command.keys = QKeySequence(row.key);
    if (action == RunAction::Compare) command.otherKeys = {QKeySequence(Qt::Key_Enter)};
    QAction* made = commands.add(command, std::move(run), scope);
    made->setAutoRepeat(false);  // of a Stop that is held the second would end the process
    return made;
}

void showRefusals(CommandRegistry& commands, const store::RunSummary* run, const RunData* data,
                  const EngineInfo& engine) {
    for (int i = 0; i < kRunActions; ++i)
        if (const auto action = static_cast<RunAction>(i); rowOf(action).needs != Nothing)
            commands.setRefusal(QLatin1String(commandOf(action)), refusal(action, run, data, engine));
}

}  // namespace kurve::views
