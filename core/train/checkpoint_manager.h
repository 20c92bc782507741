#pragma once

#include <filesystem>
#include <vector>

#include "core/store/run_writer.h"
#include "core/train/checkpoint.h"

namespace kurve::train {

/// Which checkpoints of a run are retained: the newest checkpoint.keep_last, the best checkpoint.keep_best by
/// checkpoint.metric, and those that are pinned. One may be retained for several reasons at once.
struct RetentionPolicy {
    std::size_t last = 1, best = 0;
    bool higherIsBetter = true;

    [[nodiscard]] static RetentionPolicy of(const RunConfig& config);
    /// Indices of the evaluated ones; of equal ones the one saved first comes first.
    [[nodiscard]] std::vector<std::size_t> bestFirst(const std::vector<store::CheckpointRow>& rows) const;
    struct Reasons {
        bool newest = false, best = false, pinned = false;
        [[nodiscard]] bool any() const { return newest || best || pinned; }
    };
    /// For each of `rows`, which are in the order in which they were saved.
    [[nodiscard]] std::vector<Reasons> reasonsFor(const std::vector<store::CheckpointRow>& rows) const;
};

/// The checkpoints of a run in the order in which they were saved: those of the record that are still there,
/// and, by the times of their files, those that are in the folder only (`saved` is 0): behind the others what
/// is newer than they are (a kill kept it out of the record), before them what was pruned but not removed.
[[nodiscard]] std::vector<store::CheckpointRow> presentCheckpoints(
    const std::filesystem::path& runFolder, std::vector<store::CheckpointRow> recorded);

/// Brings the record in line with what lies in the folder; returns presentCheckpoints().
std::vector<store::CheckpointRow> alignRecord(const std::filesystem::path& runFolder,
                                              store::RunWriter& writer,
                                              const std::vector<store::CheckpointRow>& recorded);

/// The checkpoints of a run that trains: writes them, records them in run.db, and prunes those that the
/// policy does not retain. Newest is what was saved last: after a resume from an older checkpoint those of
/// the abandoned attempt are pruned, although their steps are higher.
class CheckpointManager {
public:
    /// alignRecord().
    CheckpointManager(std::filesystem::path runFolder, store::RunWriter& writer, const RunConfig& config,
                      const std::vector<store::CheckpointRow>& recorded);

    /// state.metric ranks it. A checkpoint of the same step is replaced and stays pinned if it was. Errors:
    /// io.write; then nothing was removed.
    Result<store::CheckpointRow> save(Trainer& trainer, const TrainingState& state);
    /// A pinned one is never pruned; an unpinned one at the next save(), as the others. Errors:
    /// checkpoint.missing, io.write.
    Result<store::CheckpointRow> pin(std::int64_t step, bool pinned);
    /// Leaves half-precision weights of the newest, the best and the pinned only.
    Status keepWeightsOnly();
    /// Evaluated now, it would be among the best checkpoint.keep_best.
    [[nodiscard]] bool wouldBeRetained(double metric) const;
    [[nodiscard]] const std::vector<store::CheckpointRow>& rows() const { return rows_; }

private:
    Status forget(const std::vector<store::CheckpointRow>& rows);
    void removeSurplus();

    std::filesystem::path runFolder_;
    store::RunWriter& writer_;
    RetentionPolicy policy_;
    std::vector<store::CheckpointRow> rows_;  // in the order in which they were saved
};

}  // namespace kurve::train
