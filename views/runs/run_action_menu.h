#pragma once

#include <QAction>
#include <QObject>
#include <array>
#include <cstdint>

namespace kurve::store {
struct RunSummary;
}

namespace kurve::views {

class CommandRegistry;
class EngineInfo;
struct RunData;

/// The actions on the selected run. One table: the inspector's buttons, the menu of the run list and the
/// palette take their titles, state and refusals from it.
enum class RunAction : unsigned char {
    Resume,     ///< from the last checkpoint
    Extend,     ///< beyond its planned end
    Reproduce,  ///< train it again with the same plan, seeds and threads
    Fork,       ///< a new run from one of its checkpoints
    Draft,      ///< its settings in the form
    Evaluate,   ///< score a checkpoint
    OpenTrace,  ///< its latest trace, or a prompt for its model
    Distil,     ///< a corpus of its outputs
    Fetch,      ///< checkpoints from the machine that trains it
    Follow,     ///< the training on another machine
};
inline constexpr int kRunActions = 10;

/// Training, paused or stopping.
[[nodiscard]] bool isLive(const store::RunSummary& run);

/// Why the action is unavailable, as a sentence with its remedy; empty: available. `run` null: none is
/// selected; `data` null: not read yet, then only the summary counts.
[[nodiscard]] QString refusal(RunAction action, const store::RunSummary* run, const RunData* data,
                              const EngineInfo& engine);

/// The step that an extension is counted from: its planned end, also if it stopped before that.
[[nodiscard]] std::int64_t plannedEnd(const store::RunSummary& run);

/// The commands of that table. Disabled ones show the reason, also in the palette. GUI thread.
class RunActionMenu : public QObject {
    Q_OBJECT
public:
    /// Registers them; the registry outlives this.
    explicit RunActionMenu(CommandRegistry& commands, QObject* parent = nullptr);
    /// The id of the action's command.
    [[nodiscard]] static const char* command(RunAction action);
    [[nodiscard]] QAction* action(RunAction action) const {
        return actions_[static_cast<std::size_t>(action)];
    }
    /// Sets the selected run; arguments as for refusal().
    void setRun(const store::RunSummary* run, const RunData* data, const EngineInfo& engine);

Q_SIGNALS:
    void chosen(kurve::views::RunAction action);

private:
    CommandRegistry& commands_;
    std::array<QAction*, kRunActions> actions_{};
};

}  // namespace kurve::views
