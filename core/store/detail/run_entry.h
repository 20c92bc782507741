#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "core/store/project.h"

namespace kurve::store::detail {

/// What the index keeps of a run: the summary as shown and what its state follows from.
struct RunEntry {
    RunSummary summary;
    std::string stamp;
    std::string runName, runState, runReason;  ///< as the run itself says
    /// Its identity and heartbeat_wall, what it was made of (parent_checkpoint, repeats), planned_seconds.
    std::map<std::string, std::string> process;

    [[nodiscard]] bool finished() const {
        return runState == "completed" || runState == "cancelled" || runState == "failed" ||
               runState == "damaged" || runState == "crashed";
    }
    /// Fills the summary's parentStep, repeats and plannedSeconds.
    void takeOrigin();
    /// Another version: something of the summary is.
    void touch();
    /// Derives the state anew; true if it changed.
    bool updateState(const std::filesystem::path& runFolder);
    /// The other was read from the same files, came to the same state and has the same marks.
    [[nodiscard]] bool says(const RunEntry& other) const;

private:
    void deriveState(const std::filesystem::path& runFolder);  ///< of a run whose last word is not its end
};

/// Reads a run that has a run.db; one that cannot be read becomes an entry in the state "damaged". What its
/// sweeps reached is taken from `before` (null: not known yet) if no sweep has changed since.
[[nodiscard]] RunEntry readRunEntry(const std::filesystem::path& runFolder, std::string stamp,
                                    const RunEntry* before = nullptr);

/// Size and time of run.db and its log: any write changes one of them, and a reader that leaves an empty log
/// behind does not; and the times of the folders of checkpoints, evaluations and sweeps, if they are there.
/// Begins with what this program reads of a run: where another read less, the index reads it again. Empty if
/// there is no run.db; where the system does not say whether there is one, why not.
[[nodiscard]] std::string stampOf(const std::filesystem::path& runFolder);

/// The members of a JSON object as texts; empty if it is none.
[[nodiscard]] std::map<std::string, std::string> textsOf(const std::string& json);
/// Likewise the texts of a list.
[[nodiscard]] std::vector<std::string> listOf(const std::string& json);
[[nodiscard]] std::string textOr(const std::map<std::string, std::string>& values, const char* key);

}  // namespace kurve::store::detail
