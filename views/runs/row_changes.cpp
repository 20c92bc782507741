#include "views/runs/row_changes.h"

#include <tuple>

namespace kurve::views {

namespace {

/// Who shows the list works through all of it for each block.
constexpr std::size_t kMostBlocks = 16;

void add(std::vector<RowBlock>& blocks, int row) {
    if (blocks.empty() || blocks.back().first + blocks.back().count != row) blocks.push_back({row, 0});
    ++blocks.back().count;
}

/// Every field by its name: one more does not compile here until it is compared as well. Not the version,
/// which is another also where the same was read again.
auto fieldsOf(const store::RunSummary& run) {
    const auto& [id, name, family, state, reason, task, step, totalSteps, plannedSeconds, started, ended,
                 metrics, extremes, settings, tags, notes, parent, configHash, parentStep, repeats, starred,
                 trashed, bundled, bytes, look, version] = run;
    return std::tie(id, name, family, state, reason, task, step, totalSteps, plannedSeconds, started, ended,
                    metrics, settings, tags, notes, parent, configHash, parentStep, repeats, starred, trashed,
                    bundled, bytes, look);
}

}  // namespace

bool isSameRun(const store::RunSummary& a, const store::RunSummary& b) {
    if (a.version != 0 && a.version == b.version) return true;
    const bool extremes =
        a.extremes == b.extremes || (a.extremes && b.extremes && *a.extremes == *b.extremes);
    return extremes && fieldsOf(a) == fieldsOf(b);
}

std::optional<RowChanges> rowChanges(const std::unordered_map<std::string, int>& before,
                                     const std::vector<store::RunSummary>& after) {
    RowChanges changes;
    int next = 0;  // the first row that has not been met
    for (std::size_t row = 0; row < after.size(); ++row) {
        const auto found = before.find(after[row].id);
        if (found == before.end()) {
            add(changes.come, static_cast<int>(row));
        } else if (found->second < next) {
            return std::nullopt;
        } else {
            while (next < found->second) add(changes.gone, next++);
            ++next;
        }
        if (changes.come.size() + changes.gone.size() > kMostBlocks) return std::nullopt;
    }
    while (next < static_cast<int>(before.size())) add(changes.gone, next++);
    return changes;
}

}  // namespace kurve::views
