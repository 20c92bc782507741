#pragma once

#include <QString>
#include <cstdint>
#include <functional>

class QAction;
class QWidget;

namespace kurve::store {
struct RunSummary;
}

namespace kurve::views {

class CommandRegistry;
class EngineInfo;
struct RunData;

/// Everything that can be done with a run, in the order of the menus. One table has the title, the key, the
/// place in the menus and the preconditions of each; commands, buttons, menus and the palette read it.
enum class RunAction : unsigned char {
    Start,       ///< the draft
    Queue,       ///< the draft
    Measure,     ///< a dry run of the draft
    Pause,       ///< the live run; or resumes it
    Stop,        ///< the live run
    Sample,      ///< the fixed prompts with the live model
    Checkpoint,  ///< of the live run, now
    Resume,      ///< from the last checkpoint
    Extend,      ///< beyond its planned end
    Reproduce,   ///< train it again with the same plan, seeds and threads
    Fork,        ///< a new run from one of its checkpoints
    Draft,       ///< its settings in the form
    Evaluate,    ///< score a checkpoint
    OpenTrace,   ///< its latest trace, or a prompt for its model
    Distil,      ///< a corpus of its outputs
    Fetch,       ///< checkpoints from the machine that trains it
    Follow,      ///< the training on another machine
    CheckDeterminism,
    Pin,    ///< or unpin, a checkpoint
    Prune,  ///< checkpoints
    Compare,
    Star,
    Rename,
    Tags,
    Notes,
    Baseline,
    Colours,
    Hide,
    ShowAll,
    Trash,
    Archive,
    Purge,
};
inline constexpr int kRunActions = 32;

/// Training, paused or stopping.
[[nodiscard]] bool isLive(const store::RunSummary& run);

/// Why the action is unavailable, as a sentence with its remedy; empty: available, or not an action on a
/// selected run. `run` null: none is selected; `data` null: not read yet, then only the summary counts.
[[nodiscard]] QString refusal(RunAction action, const store::RunSummary* run, const RunData* data,
                              const EngineInfo& engine);

/// The step that an extension is counted from: its planned end, also if it stopped before that.
[[nodiscard]] std::int64_t plannedEnd(const store::RunSummary& run);

/// The id of the action's command.
[[nodiscard]] const char* commandOf(RunAction action);
/// What it does, in a line.
[[nodiscard]] QString helpOf(RunAction action);
/// The menu of such a command ("Run/Selected run"); null: of another command.
[[nodiscard]] const char* menuOf(const QString& command);
/// Registers the action's command; `scope` as for CommandRegistry::add().
QAction* addRunAction(CommandRegistry& commands, RunAction action, std::function<void()> run,
                      QWidget* scope = nullptr);
/// Enables the actions on a selected run, or says why not; arguments as for refusal().
void showRefusals(CommandRegistry& commands, const store::RunSummary* run, const RunData* data,
                  const EngineInfo& engine);

}  // namespace kurve::views
