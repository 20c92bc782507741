#pragma once

#include <span>
#include <string>

#include "core/store/detail/run_entry.h"
#include "core/store/detail/sqlite.h"

namespace kurve::store::detail {

/// PRAGMA user_version of index.db. One of another version is built again from the runs.
inline constexpr int kIndexVersion = 4;
/// SQL that makes an empty index.db of it. Table runs: what was read from runs/<id>/run.db, to be dropped at
/// will. Table marks: what people said.
[[nodiscard]] std::string indexSchema();

/// A statement for entryOf(), one row a run.
extern const char* const kSelectEntries;
/// The run of this row, without its marks.
[[nodiscard]] RunEntry entryOf(Statement& row);

/// A statement for insertEntry().
extern const char* const kInsertEntry;
/// Replaces what the table has of the run. May throw SqliteFailure.
void insertEntry(Statement& insert, const RunEntry& entry);

/// Names, tags, notes, stars, trash and styles of one index to another. May throw SqliteFailure; what was
/// copied before stays copied.
void copyMarks(Database& from, Database& to);

}  // namespace kurve::store::detail
