#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "core/store/detail/sqlite.h"
#include "core/store/extremes.h"

namespace kurve::store::detail {

/// Extremes of every metric of a run.db. Goes on from `maybeBefore` (null: from the start), so that of a run
/// that grows only what is new is looked at; of sealed points their stored minimum and maximum. Call it
/// within a read transaction. Failures are thrown.
[[nodiscard]] RunExtremes readExtremes(Database& db, const RunExtremes* maybeBefore);

/// For the index.
[[nodiscard]] std::vector<std::byte> packed(const RunExtremes& extremes);
/// What packed() gave; the part that can be read of anything else.
[[nodiscard]] RunExtremes unpacked(std::span<const std::byte> bytes);

}  // namespace kurve::store::detail
