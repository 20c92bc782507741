#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/text/dataset.h"
#include "core/train/step_log.h"
#include "core/train/step_plan.h"
#include "core/train/trainer.h"

namespace kurve::train {

/// A setting that was changed while the run was going.
struct LiveChange {
    std::int64_t step = 0;  ///< steps done when it was changed
    std::string key, value;
};

/// Everything but tensors that training needs to go on exactly: state.json of a checkpoint. Random streams
/// are named and counted (core/base/random_stream.h), so seed and step are their whole state.
struct TrainingState {
    std::int64_t step = 0;             ///< optimizer steps done
    double seconds = 0;                ///< training time so far, pauses left out
    std::int64_t tokens = 0;           ///< target tokens trained on so far
    text::BatchStream::Position data;  ///< the next batch
    StepPlan plan;
    std::vector<LiveChange> live;
    std::string config;      ///< canonical text
    std::string configHash;  ///< RunConfig::contentHash
    std::string tokenizerHash, dataHash;
    std::string trainHash;        ///< Dataset::trainSha256; empty = not known
    std::int64_t extendedTo = 0;  ///< the last step of --max-steps after train.seconds were over; 0: none
    int threads = 1;              ///< threads inside one operation: results are exact for a fixed number
    int replicas = 0;             ///< and for a fixed number of these; 0 = not known
    int ranks = 1;                ///< and of processes; 0 = not known
    int mostRanks = 1;            ///< that a session of the run had
    std::string device;           ///< "cpu", "cuda"; empty = not known
    double metric =
        std::numeric_limits<double>::quiet_NaN();  ///< checkpoint.metric, NaN if not evaluated yet
    bool optimizer = true;                         ///< false: weights only, cannot be resumed
    StepLog log;                                   ///< the steps since the last logged point
    std::map<std::string, double> history;         ///< SequenceModel::history()
};

/// A folder checkpoints/step-00000120 with weights.safetensors, optimizer.safetensors, ema.safetensors and
/// state.json, which holds the SHA-256 of the others. Written under a temporary name, synced, renamed: a
/// crash at any moment leaves a whole checkpoint or none.
struct SavedCheckpoint {
    std::filesystem::path folder;
    std::string sha256;  ///< of state.json, and so of everything
    std::int64_t bytes = 0;
};
[[nodiscard]] std::string checkpointName(std::int64_t step);
/// Of its own files; what else lies in the folder is not counted.
[[nodiscard]] std::int64_t checkpointBytes(const std::filesystem::path& folder);
/// Errors: io.write.
Result<SavedCheckpoint> saveCheckpoint(const std::filesystem::path& checkpoints, Trainer& trainer,
                                       const TrainingState& state);
/// One of a model that nothing was trained of here: weights only. `state.optimizer` is false.
Result<SavedCheckpoint> saveWeights(const std::filesystem::path& checkpoints, torch::nn::Module& module,
                                    const TrainingState& state);
/// Reduces a checkpoint to its weights (the averaged ones if there are any) in half precision.
Result<SavedCheckpoint> stripCheckpoint(const std::filesystem::path& folder);

/// Reads state.json and checks every file: first its header and that all have together the `bytes` that are
/// recorded, then its hash. Errors: checkpoint.missing, checkpoint.damaged (names the file),
/// checkpoint.newer.
Result<TrainingState> readCheckpoint(const std::filesystem::path& folder,
                                     std::optional<std::int64_t> bytes = std::nullopt);
/// Of a checkpoint, what evaluation used: the averaged weights if there are any.
[[nodiscard]] std::filesystem::path weightsFile(const std::filesystem::path& folder);
/// The model's weights, the averaged ones if the checkpoint has them. Errors: those of readTensors.
Status loadWeights(const std::filesystem::path& folder, torch::nn::Module& module);
/// The mean of what loadWeights() would load from each folder, summed in doubles (fairseq
/// average_checkpoints.py); whole numbers are the first folder's. Nothing is changed unless all fit.
Status loadMeanWeights(std::span<const std::filesystem::path> folders, torch::nn::Module& module);
/// Weights, optimizer, EMA and step count of a trainer. Errors: checkpoint.weights_only, those of
/// readTensors.
Status loadTrainer(const std::filesystem::path& folder, const TrainingState& state, Trainer& trainer);
/// A checkpoint fits a run if config and tokenizer are the same. Errors: checkpoint.other_config (names the
/// fields), checkpoint.other_tokenizer.
Status checkFits(const TrainingState& state, const RunConfig& config, const std::string& tokenizerHash,
                 const SchemaLookup& schemas, const std::filesystem::path& folder);

}  // namespace kurve::train
