#include "core/train/checkpoint_manager.h"

#include <algorithm>
#include <cmath>

#include "core/base/hash.h"
#include "core/base/inside.h"
#include "core/base/text.h"
#include "core/metrics/metric.h"

namespace kurve::train {
namespace {

namespace fs = std::filesystem;
using store::CheckpointRow;

constexpr const char* kFolder = "checkpoints";

// A kill between the two renames of a replacement leaves "step-….old".
bool isReplaced(const fs::path& folder) {
    std::error_code ignored;
    return folder.extension() == ".old" && fs::exists(fs::path(folder).replace_extension(), ignored);
}

/// When it was saved; of one that is not here: before all others. Copies of another machine keep the time.
fs::file_time_type timeOf(const fs::path& runFolder, const CheckpointRow& row) {
    std::error_code none;
    return fs::last_write_time(runFolder / row.path.text() / "state.json", none);
}

/// In the order in which they were saved.
std::vector<CheckpointRow> unrecorded(const fs::path& runFolder, const std::vector<CheckpointRow>& recorded) {
    std::vector<CheckpointRow> found;
    std::error_code ignored;
    const auto folder = pathInside(runFolder, kFolder);
    if (!folder) return found;
    for (const auto& entry : fs::directory_iterator(*folder, ignored)) {
        const auto named = store::RunFile::below(runFolder, entry.path());
        if (!named || entry.is_symlink(ignored)) continue;
        CheckpointRow row;
        row.path = *named;
        const bool known = std::any_of(recorded.begin(), recorded.end(),
                                       [&](const auto& other) { return other.path == row.path; });
        if (known || isReplaced(entry.path())) continue;
        const auto state = readCheckpoint(entry.path());
        if (!state) continue;
        row.step = state->step;
        row.metric = state->metric;
        row.sha256 = sha256File(entry.path() / "state.json").value_or("");
        row.bytes = checkpointBytes(entry.path());
        found.push_back(std::move(row));
    }
    std::sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
        return std::pair(timeOf(runFolder, a), a.step) < std::pair(timeOf(runFolder, b), b.step);
    });
    return found;
}

}  // namespace

RetentionPolicy RetentionPolicy::of(const RunConfig& config) {
    return {static_cast<std::size_t>(config.integer("checkpoint.keep_last")),
            static_cast<std::size_t>(config.integer("checkpoint.keep_best")),
            metrics::higherIsBetter(config.text("checkpoint.metric"))};
}

std::vector<std::size_t> RetentionPolicy::bestFirst(const std::vector<CheckpointRow>& rows) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (!std::isnan(rows[i].metric)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return higherIsBetter ? rows[a].metric > rows[b].metric : rows[a].metric < rows[b].metric;
    });
    return order;
}

std::vector<RetentionPolicy::Reasons> RetentionPolicy::reasonsFor(
    const std::vector<CheckpointRow>& rows) const {
    std::vector<Reasons> reasons(rows.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        reasons[i].newest = i + last >= rows.size();
        reasons[i].pinned = rows[i].pinned;
    }
    const auto order = bestFirst(rows);
    for (std::size_t i = 0; i < std::min(best, order.size()); ++i) reasons[order[i]].best = true;
    return reasons;
}

std::vector<CheckpointRow> presentCheckpoints(const fs::path& runFolder,
                                              std::vector<CheckpointRow> recorded) {
    auto more = unrecorded(runFolder, recorded);
    std::erase_if(recorded, [&](const auto& row) { return !row.path.isIn(runFolder); });
    std::stable_sort(recorded.begin(), recorded.end(),
                     [](const auto& a, const auto& b) { return a.saved < b.saved; });
    // Newer than the record is what a kill kept out of it, older what was pruned but is still on disk.
    const auto newest = recorded.empty() ? fs::file_time_type::min() : timeOf(runFolder, recorded.back());
    const auto newer = std::find_if(more.begin(), more.end(),
                                    [&](const auto& row) { return timeOf(runFolder, row) > newest; });
    recorded.insert(recorded.end(), newer, more.end());
    recorded.insert(recorded.begin(), more.begin(), newer);
    return recorded;
}

std::vector<CheckpointRow> alignRecord(const fs::path& runFolder, store::RunWriter& writer,
                                       const std::vector<CheckpointRow>& recorded) {
    std::error_code ignored;  // one that is a link stays recorded: verify reports it
    for (const auto& row : recorded)
        if (const auto folder = row.path.in(runFolder); folder && !fs::exists(*folder, ignored))
            writer.removeCheckpoint(row.path);
    auto present = presentCheckpoints(runFolder, recorded);
    bool anew = false;  // what comes behind an added one is to be the newer one in the record, too
    for (const auto& row : present) {
        anew = anew || row.saved == 0;
        if (anew) writer.checkpoint(row);
    }
    return present;
}

CheckpointManager::CheckpointManager(fs::path runFolder, store::RunWriter& writer, const RunConfig& config,
                                     const std::vector<CheckpointRow>& recorded)
    : runFolder_(std::move(runFolder)),
      writer_(writer),
      policy_(RetentionPolicy::of(config)),
      rows_(alignRecord(runFolder_, writer_, recorded)) {}

bool CheckpointManager::wouldBeRetained(double metric) const {
    if (policy_.best == 0 || std::isnan(metric)) return false;
    const auto order = policy_.bestFirst(rows_);
    if (order.size() < policy_.best) return true;
    const double worst = rows_[order[policy_.best - 1]].metric;
    return policy_.higherIsBetter ? metric > worst : metric < worst;
}

Result<CheckpointRow> CheckpointManager::save(Trainer& trainer, const TrainingState& state) {
    KURVE_TRY(const fs::path folder, makeFolderInside(runFolder_, kFolder));
    CheckpointRow row;
    row.step = state.step;
    row.path = store::RunFile(fmt::format("{}/{}", kFolder, checkpointName(state.step)));
    const auto before =
        std::find_if(rows_.begin(), rows_.end(), [&](const auto& other) { return other.path == row.path; });
    if (before != rows_.end()) {
        row.pinned = before->pinned;
        KURVE_CHECKED(forget({*before}));
    }
    const auto saved = saveCheckpoint(folder, trainer, state);
    if (!saved) {
        if (before != rows_.end()) writer_.checkpoint(*before);
        return saved.error();
    }
    row.sha256 = saved->sha256;
    row.metric = state.metric;
    row.bytes = saved->bytes;
    if (before != rows_.end()) rows_.erase(before);
    rows_.push_back(row);
    writer_.checkpoint(row);
    KURVE_CHECKED(writer_.flush());  // the record is there before an older checkpoint goes
    removeSurplus();
    return row;
}

Result<CheckpointRow> CheckpointManager::pin(std::int64_t step, bool pinned) {
    std::vector<std::string> steps;
    for (auto& row : rows_) {
        steps.push_back(std::to_string(row.step));
        if (row.step != step) continue;
        row.pinned = pinned;
        writer_.pinCheckpoint(row.path, pinned);
        KURVE_CHECKED(writer_.flush());
        return row;
    }
    return requestError("checkpoint.missing", fmt::format("the run has no checkpoint of step {}", step))
        .in(runFolder_.string())
        .fix(steps.empty() ? "" : "there are " + join(steps, ", "));
}

// What the record names is there, whole and as it says, whenever the program is killed: a checkpoint without
// an entry is found again by presentCheckpoints(), an entry without its checkpoint would be damage.
Status CheckpointManager::forget(const std::vector<CheckpointRow>& rows) {
    for (const auto& row : rows) writer_.removeCheckpoint(row.path);
    return rows.empty() ? Status() : writer_.flush();
}

void CheckpointManager::removeSurplus() {
    const auto reasons = policy_.reasonsFor(rows_);
    std::vector<CheckpointRow> retained, surplus;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        (reasons[i].any() ? retained : surplus).push_back(rows_[i]);
    if (!forget(surplus)) return;  // nothing goes before the record says so; the next save() tries again
    for (const auto& row : surplus)
        (void)row.path.removeFrom(runFolder_);  // it takes disk space and is no error of the training's
    rows_ = std::move(retained);
}

Status CheckpointManager::keepWeightsOnly() {
    policy_.last = 1;
    removeSurplus();
    for (auto& row : rows_) {
        KURVE_TRY(const fs::path folder, row.path.in(runFolder_));
        KURVE_CHECKED(forget({row}));
        const auto saved = stripCheckpoint(folder);
        if (saved) {
            row.sha256 = saved->sha256;
            row.bytes = saved->bytes;
        }
        writer_.checkpoint(row);
        if (!saved) return saved.error();
    }
    return {};
}

}  // namespace kurve::train
