#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace kurve::store {

/// Key of the table run that only a mirror has: the name of the machine that trains the run. A segment that a
/// RunWriter begins removes it.
inline constexpr const char* kMachineKey = "machine";

/// What a run.db has beyond a cursor.
struct RunChanges {
    std::string database;   ///< rows as a database in memory, to be sent as it is; empty: none
    nlohmann::json cursor;  ///< members that the next cursor takes over: digests of the small tables
    bool complete = true;   ///< false: there is more, ask again
};

/// Of a run, in one snapshot. A cursor is what RunMirror::cursor() says; null: nothing is there yet. At most
/// about 4 MB at once, unless a single row is larger. Any cursor is taken for what it can mean. Errors:
/// store.*.
Result<RunChanges> runChanges(const std::filesystem::path& runFolder, const nlohmann::json& cursor);

/// {"table": SHA-256 of its rows}: the same for a mirror that has all that its original has. Errors: store.*.
Result<nlohmann::json> runDigests(const std::filesystem::path& runFolder);

/// Every byte of a run.db that rests, with what is still in its log: a file for another machine. Errors:
/// store.*.
Result<std::string> runSnapshot(const std::filesystem::path& runFolder);

/// That nothing but a copy of that machine's run lies in the folder. Errors: run.exists.
Status checkMirrorOf(const std::filesystem::path& runFolder, const std::string& machine);

/// The copy of a run that another machine trains, and its only writer; one thread. What it is told of is
/// written in one transaction a call, row by row as it is there, so that readers see an ordinary run.
class RunMirror {
public:
    /// Makes the folder and run.db, or goes on with them. Errors: as RunWriter::open; run.exists (another
    /// run is there).
    static Result<std::unique_ptr<RunMirror>> open(const std::filesystem::path& runFolder,
                                                   const std::string& machine);
    ~RunMirror();

    /// Where it is: what runChanges() is asked with.
    [[nodiscard]] Result<nlohmann::json> cursor();
    /// `own`: values of table run that are not those of the original; kMachineKey is set always. Errors:
    /// store.damaged (no rows of a run.db), store.gone (run.db was removed, moved or replaced), io.write.
    Status apply(const RunChanges& changes, const std::map<std::string, std::string>& own);
    /// Empties the tables whose rows are not the original's: the next cursor asks for them. True if there
    /// were any.
    Result<bool> dropOthers(const nlohmann::json& digests);
    /// Own values while this process follows the original: its identity and a sign of life.
    [[nodiscard]] std::map<std::string, std::string> following() const;

private:
    RunMirror();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace kurve::store
