#pragma once

#include <filesystem>
#include <vector>

#include "core/store/run_writer.h"
#include "core/train/checkpoint.h"

namespace kurve::train {

/// The checkpoints of a run: writes them, records them in run.db, and removes those that are neither among
/// the newest checkpoint.keep_last, nor the best checkpoint.keep_best, nor pinned.
class CheckpointKeeper {
public:
    CheckpointKeeper(std::filesystem::path runFolder, store::RunWriter& writer, const RunConfig& config,
                     std::vector<store::CheckpointRow> known);

    /// state.metric ranks it. Errors: io.write; then nothing was removed.
    Result<store::CheckpointRow> save(Trainer& trainer, const TrainingState& state);
    /// Leaves half-precision weights of the newest and the best only.
    Status slim();
    [[nodiscard]] bool wouldBeBest(double metric) const;
    [[nodiscard]] const std::vector<store::CheckpointRow>& rows() const { return rows_; }

private:
    void removeSurplus();
    [[nodiscard]] std::vector<std::size_t> bestFirst() const;

    std::filesystem::path runFolder_;
    store::RunWriter& writer_;
    std::size_t keepLast_, keepBest_;
    bool higherIsBetter_;
    std::vector<store::CheckpointRow> rows_;  // by step
};

}  // namespace kurve::train
