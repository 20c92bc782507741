#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/store/detail/sqlite.h"

namespace kurve::store::detail {

enum class Growth : std::uint8_t {
    Whole,     ///< small, its rows change: it is replaced
    Appended,  ///< rows are only added, in the order of their rowids
    Tail,      ///< scalars: points after a number of each metric; sealed rows take their place
};

/// A table of run.db as its rows travel: with their rowids and checksums, so that a copy is the original.
struct MirroredTable {
    std::string name;
    Growth growth;
    std::vector<std::string> columns;  ///< of a row, in the order in which they travel

    [[nodiscard]] std::string list() const;    ///< "a, b, c"
    [[nodiscard]] std::string insert() const;  ///< replaces; ?1, ?2, … are the columns
};
/// All tables of a run.db, those first that others name.
[[nodiscard]] const std::vector<MirroredTable>& mirroredTables();

/// SHA-256 of a table's rows, by their keys and checksums. Keys of `run` that a mirror has of its own are
/// left out. Failures are thrown.
[[nodiscard]] std::string tableDigest(Database& db, const MirroredTable& table);

/// A database in memory as bytes, and back. Failures are thrown; bytes that are no database are found when
/// they are read.
[[nodiscard]] std::string bytesOf(Database& memory);
[[nodiscard]] std::unique_ptr<Database> databaseOf(const std::string& bytes);

}  // namespace kurve::store::detail
