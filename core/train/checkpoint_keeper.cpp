#include "core/train/checkpoint_keeper.h"

#include <algorithm>
#include <cmath>

#include "core/base/hash.h"
#include "core/base/text.h"

namespace kurve::train {
namespace {

namespace fs = std::filesystem;
using store::CheckpointRow;

// A kill between the two renames of a replacement leaves "step-….old".
bool isReplaced(const fs::path& folder) {
    std::error_code ignored;
    return folder.extension() == ".old" && fs::exists(fs::path(folder).replace_extension(), ignored);
}

std::vector<CheckpointRow> unrecorded(const fs::path& runFolder, const std::vector<CheckpointRow>& recorded) {
    std::vector<CheckpointRow> found;
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(runFolder / "checkpoints", ignored)) {
        const std::string name = entry.path().filename().string();
        CheckpointRow row;
        row.path = "checkpoints/" + name;
        const bool known = std::any_of(recorded.begin(), recorded.end(),
                                       [&](const auto& other) { return other.path == row.path; });
        if (known || name.starts_with(".") || isReplaced(entry.path())) continue;
        const auto state = readCheckpoint(entry.path());
        if (!state) continue;
        row.step = state->step;
        row.metric = state->metric;
        row.sha256 = sha256File(entry.path() / "state.json").value_or("");
        for (const auto& file : fs::directory_iterator(entry.path(), ignored))
            row.bytes += static_cast<std::int64_t>(file.file_size(ignored));
        found.push_back(std::move(row));
    }
    std::sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
    return found;
}

}  // namespace

KeepPolicy KeepPolicy::of(const RunConfig& config) {
    return {static_cast<std::size_t>(config.integer("checkpoint.keep_last")),
            static_cast<std::size_t>(config.integer("checkpoint.keep_best")),
            config.text("checkpoint.metric") != "valid_loss"};
}

std::vector<std::size_t> KeepPolicy::bestFirst(const std::vector<CheckpointRow>& rows) const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows.size(); ++i)
        if (!std::isnan(rows[i].metric)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return higherIsBetter ? rows[a].metric > rows[b].metric : rows[a].metric < rows[b].metric;
    });
    return order;
}

std::vector<KeepPolicy::Reasons> KeepPolicy::judge(const std::vector<CheckpointRow>& rows) const {
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
    std::error_code ignored;
    auto more = unrecorded(runFolder, recorded);
    std::erase_if(recorded, [&](const auto& row) { return !fs::exists(runFolder / row.path, ignored); });
    std::stable_sort(recorded.begin(), recorded.end(),
                     [](const auto& a, const auto& b) { return a.saved < b.saved; });
    std::move(more.begin(), more.end(), std::back_inserter(recorded));
    return recorded;
}

CheckpointKeeper::CheckpointKeeper(fs::path runFolder, store::RunWriter& writer, const RunConfig& config,
                                   const std::vector<CheckpointRow>& recorded)
    : runFolder_(std::move(runFolder)),
      writer_(writer),
      policy_(KeepPolicy::of(config)),
      rows_(presentCheckpoints(runFolder_, recorded)) {
    std::error_code ignored;
    for (const auto& row : recorded)
        if (!fs::exists(runFolder_ / row.path, ignored)) writer_.removeCheckpoint(row.path);
    for (const auto& row : rows_)
        if (row.saved == 0) writer_.checkpoint(row);
}

bool CheckpointKeeper::wouldBeKept(double metric) const {
    if (policy_.best == 0 || std::isnan(metric)) return false;
    const auto order = policy_.bestFirst(rows_);
    if (order.size() < policy_.best) return true;
    const double worst = rows_[order[policy_.best - 1]].metric;
    return policy_.higherIsBetter ? metric > worst : metric < worst;
}

Result<CheckpointRow> CheckpointKeeper::save(Trainer& trainer, const TrainingState& state) {
    KURVE_TRY(const SavedCheckpoint saved, saveCheckpoint(runFolder_ / "checkpoints", trainer, state));
    CheckpointRow row;
    row.step = state.step;
    row.path = "checkpoints/" + saved.folder.filename().string();
    row.sha256 = saved.sha256;
    row.metric = state.metric;
    row.bytes = saved.bytes;
    for (const auto& other : rows_) row.pinned = row.pinned || (other.path == row.path && other.pinned);
    std::erase_if(rows_, [&](const auto& other) { return other.path == row.path; });
    rows_.push_back(row);
    writer_.checkpoint(row);
    KURVE_CHECKED(writer_.flush());  // the record is there before an older checkpoint goes
    removeSurplus();
    return row;
}

Result<CheckpointRow> CheckpointKeeper::pin(std::int64_t step, bool pinned) {
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

void CheckpointKeeper::removeSurplus() {
    const auto reasons = policy_.judge(rows_);
    std::vector<CheckpointRow> kept;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (reasons[i].any()) {
            kept.push_back(rows_[i]);
            continue;
        }
        writer_.removeCheckpoint(rows_[i].path);
        std::error_code ignored;
        fs::remove_all(runFolder_ / rows_[i].path, ignored);
    }
    rows_ = std::move(kept);
}

Status CheckpointKeeper::slim() {
    policy_.last = 1;
    removeSurplus();
    for (auto& row : rows_) {
        KURVE_TRY(const SavedCheckpoint saved, slimCheckpoint(runFolder_ / row.path));
        row.sha256 = saved.sha256;
        row.bytes = saved.bytes;
        writer_.checkpoint(row);
    }
    return {};
}

}  // namespace kurve::train
