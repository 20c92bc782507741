#include "views/runs/row_changes.h"

namespace kurve::views {

namespace {

/// Who shows the list works through all of it for each block.
constexpr std::size_t kMostBlocks = 16;

void add(std::vector<RowBlock>& blocks, int row) {
    if (blocks.empty() || blocks.back().first + blocks.back().count != row) blocks.push_back({row, 0});
    ++blocks.back().count;
}

}  // namespace

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
