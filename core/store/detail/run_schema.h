#pragma once

#include <span>
#include <string>
#include <string_view>

namespace kurve::store::detail {

/// Points of one sealed blob.
inline constexpr std::size_t kSealedPoints = 1024;
/// Bytes of a point in a sealed blob: step i64, wall i64 (microseconds since the epoch), value f64;
/// little-endian, all steps first, then all walls, then all values.
inline constexpr std::size_t kPointBytes = 24;

/// SQL that makes an empty run.db of kRunSchemaVersion.
[[nodiscard]] const std::string& runSchema();

/// A table whose rows have the checksum of these columns in their column `sum`: all of them but the ids that
/// SQLite gives, which say nothing but the order.
struct SummedTable {
    std::string_view name;
    const char* columns;
};
/// All that a run.db has.
[[nodiscard]] std::span<const SummedTable> summedTables();
/// SQL that puts a row of values ?1, ?2, … in their order, with its checksum, into one of these tables.
[[nodiscard]] std::string insertRow(std::string_view table, const char* how = "INSERT");
/// An SQL expression: a row of this table is as it was written.
[[nodiscard]] std::string soundRow(std::string_view table);

}  // namespace kurve::store::detail
