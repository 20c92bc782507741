#include "core/train/checkpoint_keeper.h"

#include <algorithm>
#include <cmath>

namespace kurve::train {

namespace fs = std::filesystem;

CheckpointKeeper::CheckpointKeeper(fs::path runFolder, store::RunWriter& writer, const RunConfig& config,
                                   std::vector<store::CheckpointRow> known)
    : runFolder_(std::move(runFolder)),
      writer_(writer),
      keepLast_(static_cast<std::size_t>(config.integer("checkpoint.keep_last"))),
      keepBest_(static_cast<std::size_t>(config.integer("checkpoint.keep_best"))),
      higherIsBetter_(config.text("checkpoint.metric") != "valid_loss"),
      rows_(std::move(known)) {
    std::sort(rows_.begin(), rows_.end(), [](const auto& a, const auto& b) { return a.step < b.step; });
}

std::vector<std::size_t> CheckpointKeeper::bestFirst() const {
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < rows_.size(); ++i)
        if (!std::isnan(rows_[i].metric)) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return higherIsBetter_ ? rows_[a].metric > rows_[b].metric : rows_[a].metric < rows_[b].metric;
    });
    return order;
}

bool CheckpointKeeper::wouldBeBest(double metric) const {
    if (keepBest_ == 0 || std::isnan(metric)) return false;
    const auto order = bestFirst();
    if (order.empty()) return true;
    const double best = rows_[order.front()].metric;
    return higherIsBetter_ ? metric > best : metric < best;
}

Result<store::CheckpointRow> CheckpointKeeper::save(Trainer& trainer, const TrainingState& state) {
    KURVE_TRY(const SavedCheckpoint saved, saveCheckpoint(runFolder_ / "checkpoints", trainer, state));
    store::CheckpointRow row;
    row.step = state.step;
    row.path = "checkpoints/" + saved.folder.filename().string();
    row.sha256 = saved.sha256;
    row.metric = state.metric;
    row.bytes = saved.bytes;
    std::erase_if(rows_, [&](const auto& other) { return other.path == row.path; });
    // After a resume from an older checkpoint the newer ones belong to the abandoned attempt, but are kept
    // until they are surplus: they are still what a user may want to go back to.
    rows_.push_back(row);
    std::stable_sort(rows_.begin(), rows_.end(),
                     [](const auto& a, const auto& b) { return a.step < b.step; });
    writer_.checkpoint(row);
    KURVE_CHECKED(writer_.flush());  // the record is there before an older checkpoint goes
    removeSurplus();
    return row;
}

void CheckpointKeeper::removeSurplus() {
    std::vector<bool> keep(rows_.size(), false);
    for (std::size_t i = 0; i < rows_.size(); ++i) keep[i] = rows_[i].pinned || i + keepLast_ >= rows_.size();
    const auto best = bestFirst();
    for (std::size_t i = 0; i < std::min(keepBest_, best.size()); ++i) keep[best[i]] = true;
    std::vector<store::CheckpointRow> kept;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        if (keep[i]) {
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
    keepLast_ = 1;
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
