#pragma once

#include <span>
#include <string>

namespace kurve::store::detail {

/// Points of one sealed blob.
inline constexpr std::size_t kSealedPoints = 1024;
/// Bytes of a point in a sealed blob: step i64, wall i64 (microseconds since the epoch), value f64;
/// little-endian, all steps first, then all walls, then all values.
inline constexpr std::size_t kPointBytes = 24;

/// SQL that makes version i + 1 out of version i of run.db.
[[nodiscard]] std::span<const std::string> runMigrations();

}  // namespace kurve::store::detail
