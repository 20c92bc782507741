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

/// How a list of runs becomes another one.
struct RowChanges {
    std::vector<RowBlock> gone;  ///< in the list before, in its order
    std::vector<RowBlock> come;  ///< in the list after, in its order
};

/// `before` has the place of every id. Nothing where runs that stay change their order, or where so many
/// blocks come and go that starting over is cheaper.
[[nodiscard]] std::optional<RowChanges> rowChanges(const std::unordered_map<std::string, int>& before,
                                                   const std::vector<store::RunSummary>& after);

/// Nothing that a list shows is another. Runs of an index are told apart by their version.
[[nodiscard]] bool isSameRun(const store::RunSummary& a, const store::RunSummary& b);

}  // namespace kurve::views
