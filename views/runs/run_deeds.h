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

/// What can be done with the selected run. One table: the inspector's buttons, the menu of the run list and
/// the palette take their titles, their state and their reasons from it.
enum class RunDeed : unsigned char {
    Resume,      ///< go on from the last checkpoint
    Extend,      ///< go on past its planned end
    Again,       ///< train it again exactly
    Fork,        ///< a new run from one of its checkpoints
    Draft,       ///< its settings in the form
    Evaluate,    ///< score a checkpoint
    LookInside,  ///< its newest recording, or a prompt for its model
    Distil,      ///< a corpus of what it writes
};
inline constexpr int kRunDeeds = 8;

/// Trains now, also while it is paused or about to stop.
[[nodiscard]] bool isLive(const store::RunSummary& run);

/// Why this cannot be done with the run, as a sentence with its remedy; empty: it can. `run` null: none is
/// selected; `data` null: not read yet, then only the summary speaks.
[[nodiscard]] QString refusal(RunDeed deed, const store::RunSummary* run, const RunData* data,
                              const EngineInfo& engine);

/// Where an extension of the run begins to count: its planned end, also if it stopped before that.
[[nodiscard]] std::int64_t plannedEnd(const store::RunSummary& run);

/// The commands of that table. Disabled ones say why, also in the palette. GUI thread.
class RunDeeds : public QObject {
    Q_OBJECT
public:
    /// Registers them; the registry outlives this.
    explicit RunDeeds(CommandRegistry& commands, QObject* parent = nullptr);
    /// The id of the deed's command.
    [[nodiscard]] static const char* command(RunDeed deed);
    [[nodiscard]] QAction* action(RunDeed deed) const { return actions_[static_cast<std::size_t>(deed)]; }
    /// Of the run that is selected now; arguments as for refusal().
    void setRun(const store::RunSummary* run, const RunData* data, const EngineInfo& engine);

Q_SIGNALS:
    void chosen(kurve::views::RunDeed deed);

private:
    CommandRegistry& commands_;
    std::array<QAction*, kRunDeeds> actions_{};
};

}  // namespace kurve::views
