#include "views/runs/row_changes.h"

#include <tuple>

namespace kurve::views {

namespace {

/// The view processes the whole list once per block.
constexpr std::size_t kMostBlocks = 16;

void add(std::vector<RowBlock>& blocks, int row) {
    if (blocks.empty() || blocks.back().first + blocks.back().count != row) blocks.push_back({row, 0});
    ++blocks.back().count;
}

/// Every field by its name: a new field does not compile here until it is compared as well. Not the version,
/// which changes also when the same data were read again.
auto fieldsOf(const store::RunSummary& run) {
    const auto& [id, name, family, state, reason, task, step, totalSteps, plannedSeconds, started, ended,
                 metrics, extremes, settings, tags, notes, parent, configHash, experiment, parentStep,
                 reproduces, machine, references, starred, trashed, bundled, bytes, style, version] = run;
    return std::tie(id, name, family, state, reason, task, step, totalSteps, plannedSeconds, started, ended,
                    metrics, settings, tags, notes, parent, configHash, experiment, parentStep, reproduces,
                    machine, references, starred, trashed, bundled, bytes, style);
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
    int next = 0;  // the first row not visited yet
    for (std::size_t row = 0; row < after.size(); ++row) {
        const auto found = before.find(after[row].id);
        if (found == before.end()) {
            add(changes.added, static_cast<int>(row));
        } else if (found->second < next) {
            return std::nullopt;
        } else {
            while (next < found->second) add(changes.removed, next++);
            ++next;
        }
        if (changes.added.size() + changes.removed.size() > kMostBlocks) return std::nullopt;
    }
    while (next < static_cast<int>(before.size())) add(changes.removed, next++);
    return changes;
}

}  // namespace kurve::views
