#pragma once

#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "core/store/detail/run_entry.h"
#include "core/store/detail/sqlite.h"

namespace kurve::store::detail {

/// What people said of the runs, into their summaries. May throw SqliteFailure.
void applyMarks(Database& db, std::map<std::string, RunEntry>& entries);

/// Puts `change(what stands there)` in a column of a run's marks, in one transaction: what others wrote just
/// before is what it is given. Returns what stands there now. May throw SqliteFailure.
std::string changeMark(Database& db, const std::string& run, const char* column,
                       const std::function<std::string(const std::string&)>& change);

/// Assigns to every run of `present` that has no style of its own the lowest one that is free: those of runs
/// that are gone are. May throw SqliteFailure.
void assignStyles(Database& db, const std::set<std::string>& present);
/// Assigns the first styles to `runs`; runs that had them get theirs. May throw SqliteFailure.
void assignFirstStyles(Database& db, std::span<const std::string> runs);

/// The tags of a mark (a JSON list) with some added at its end and some removed; one that is there keeps
/// its position.
[[nodiscard]] std::string changedTags(const std::string& tags, const std::vector<std::string>& added,
                                      const std::vector<std::string>& removed);

}  // namespace kurve::store::detail
