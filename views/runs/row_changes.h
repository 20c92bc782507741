#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/store/project.h"

namespace kurve::views {

struct RowBlock {
    int first = 0, count = 0;
    friend bool operator==(const RowBlock&, const RowBlock&) = default;
};

/// The difference of two lists of runs.
struct RowChanges {
    std::vector<RowBlock> removed;  ///< rows removed, in the old list's order
    std::vector<RowBlock> added;    ///< rows added, in the new list's order
};

/// `before` maps each id to its row. Empty if remaining runs change their order, or if so many blocks change
/// that a reset is cheaper.
[[nodiscard]] std::optional<RowChanges> rowChanges(const std::unordered_map<std::string, int>& before,
                                                   const std::vector<store::RunSummary>& after);

/// No field that a list shows differs. Runs of an index are compared by their version.
[[nodiscard]] bool isSameRun(const store::RunSummary& a, const store::RunSummary& b);

}  // namespace kurve::views
