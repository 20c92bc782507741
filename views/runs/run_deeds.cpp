#include "views/runs/run_deeds.h"

#include <algorithm>

#include "core/config/first_checkpoint.h"
#include "core/store/project.h"
#include "views/common/command_registry.h"
#include "views/common/engine_info.h"
#include "views/common/format.h"
#include "views/common/run_catalog.h"

namespace kurve::views {

namespace {

/// What must hold before it can be done.
enum Need : unsigned char {
    Nothing = 0,
    Ended = 1,        ///< it does not train
    Unfinished = 2,   ///< it stopped before its last step
    Checkpoint = 4,   ///< it has one
    KnownFamily = 8,  ///< the engine can build its model
    OwnRun = 16,      ///< trained here: what comes with Kurve holds no optimizer state
    Contents = 32,    ///< a recording or a checkpoint
};

struct Entry {
    const char *command, *title, *help;
    int needs;
};

// In the order of RunDeed.
constexpr Entry kTable[] = {
    {"run.resume", QT_TRANSLATE_NOOP("RunDeeds", "Resume the selected run"),
     QT_TRANSLATE_NOOP("RunDeeds", "Go on from its last checkpoint, exactly"),
     Ended | Unfinished | Checkpoint | KnownFamily},
    {"run.extend", QT_TRANSLATE_NOOP("RunDeeds", "Extend the selected run…"),
     QT_TRANSLATE_NOOP("RunDeeds", "Go on from its last checkpoint, past its planned end by so many steps"),
     Ended | Checkpoint | KnownFamily | OwnRun},
    {"run.again", QT_TRANSLATE_NOOP("RunDeeds", "Run the selected run again exactly"),
     QT_TRANSLATE_NOOP("RunDeeds",
                       "Train it again with the same settings, seeds and threads, and say which step "
                       "differs first"),
     Ended | KnownFamily | OwnRun},
    {"run.fork", QT_TRANSLATE_NOOP("RunDeeds", "Fork the selected run…"),
     QT_TRANSLATE_NOOP("RunDeeds", "Train a new run from one of its checkpoints, with changes"),
     Checkpoint | KnownFamily},
    {"run.draft", QT_TRANSLATE_NOOP("RunDeeds", "Use its settings as a draft"),
     QT_TRANSLATE_NOOP("RunDeeds", "Copy this run's settings into the form of the Train workspace"),
     KnownFamily},
    {"run.evaluate", QT_TRANSLATE_NOOP("RunDeeds", "Evaluate the selected runs…"),
     QT_TRANSLATE_NOOP("RunDeeds", "Scores a checkpoint on a split, kept with the run"),
     Checkpoint | KnownFamily},
    {"run.look", QT_TRANSLATE_NOOP("RunDeeds", "Look inside the selected run"),
     QT_TRANSLATE_NOOP("RunDeeds", "Its newest recording, or a prompt for its model, in Inspect"), Contents},
    {"run.distil", QT_TRANSLATE_NOOP("RunDeeds", "Distil the selected run"),
     QT_TRANSLATE_NOOP("RunDeeds",
                       "Make a corpus of what it writes for its training sources; other runs train on that "
                       "with data.kind = kd"),
     Checkpoint | KnownFamily},
};
static_assert(std::size(kTable) == kRunDeeds);

QString translated(const char* text) {
    return QCoreApplication::translate("RunDeeds", text);
}

bool isKnown(const store::RunSummary& run, const EngineInfo& engine) {
    return engine.families().empty() || engine.family(run.family) != nullptr;
}

/// Of a run that trains: when there will be one.
QString noCheckpoint(const store::RunSummary& run, const RunData& data, const EngineInfo& engine) {
    const auto text = data.values.find("config");
    if (!isLive(run) || text == data.values.end()) return translated("It has no checkpoint.");
    const auto config = RunConfig::parse(text->second, "run.db", engine.schemas());
    const auto first = config ? firstCheckpoint(*config, data.values) : std::nullopt;
    if (!first) return translated("It has no checkpoint yet; F8 makes one now.");
    const QString step = countText(first->step);
    if (run.state == "paused")
        return translated(
                   "It has no checkpoint yet: the first comes at step %1, when the training goes on. F8 "
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

QString refusal(RunDeed deed, const store::RunSummary* run, const RunData* data, const EngineInfo& engine) {
    if (run == nullptr) return translated("Select a run first.");
    const int needs = kTable[static_cast<std::size_t>(deed)].needs;
    const bool goesOn = deed == RunDeed::Resume && run->state == "paused";
    if (goesOn) return {};
    if ((needs & Ended) != 0 && isLive(*run)) return translated("It is training; stop it first (Shift+F5).");
    if ((needs & OwnRun) != 0 && run->bundled)
        return translated(
            "It came with Kurve, without the state of its optimizer: fork it or use its settings.");
    if ((needs & KnownFamily) != 0 && !isKnown(*run, engine))
        return translated("The engine cannot build a model of the kind “%1”.")
            .arg(QString::fromStdString(run->family));
    if ((needs & Unfinished) != 0 && run->state == "completed" && run->step >= run->totalSteps)
        return run->bundled ? translated("It has done all its steps.")
                            : translated("It has done all its steps; extend it instead.");
    if (data == nullptr) return {};
    if ((needs & Checkpoint) != 0 && data->checkpoints.empty()) return noCheckpoint(*run, *data, engine);
    if ((needs & Contents) != 0 && data->checkpoints.empty() && data->traces.empty())
        return translated("It has neither a recording nor a checkpoint.");
    return {};
}

std::int64_t plannedEnd(const store::RunSummary& run) {
    return std::max(run.step, run.totalSteps);
}

const char* RunDeeds::command(RunDeed deed) {
    return kTable[static_cast<std::size_t>(deed)].command;
}

RunDeeds::RunDeeds(CommandRegistry& commands, QObject* parent) : QObject(parent), commands_(commands) {
    for (std::size_t i = 0; i < kRunDeeds; ++i) {
        const Entry& entry = kTable[i];
        actions_[i] = commands.add({QLatin1String(entry.command),
                                    translated(entry.title),
                                    QObject::tr("Run"),
                                    {},
                                    translated(entry.help)},
                                   [this, deed = static_cast<RunDeed>(i)] { Q_EMIT chosen(deed); });
    }
}

void RunDeeds::setRun(const store::RunSummary* run, const RunData* data, const EngineInfo& engine) {
    for (std::size_t i = 0; i < kRunDeeds; ++i)
        commands_.setRefusal(QLatin1String(kTable[i].command),
                             refusal(static_cast<RunDeed>(i), run, data, engine));
}

}  // namespace kurve::views
