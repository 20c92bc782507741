#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/command.h"
#include "core/store/default_sampler.h"
#include "core/store/project.h"
#include "core/store/run_reader.h"
#include "core/text/dataset.h"
#include "core/train/checkpoint.h"
#include "core/train/decode.h"

namespace kurve::engine {

/// The project of --project, or the nearest one upward from `near`. Errors: project.*.
Result<store::Project> projectFor(const CommonOptions& common, const std::filesystem::path& near);
/// Writes notices to stderr, unless --quiet.
[[nodiscard]] std::function<void(const std::string&)> notifier(const CommonOptions& common);
/// The project's index, not yet refreshed; its notice goes to stderr. Errors:
/// store.newer_version, io.write.
Result<std::unique_ptr<store::ProjectIndex>> indexOf(const CommonOptions& common,
                                                     const store::Project& project);
/// An experiment file: a path, or the name of one in the project's experiments/. Errors: experiment.missing.
Result<std::filesystem::path> findExperiment(const CommonOptions& common, const std::string& name);
/// --set and --seed as overrides.
[[nodiscard]] std::vector<Override> overridesOf(const CommonOptions& common);

/// The folder of a run: `name` is an id in the project, or a run folder. Errors: run.missing (nearest id
/// suggested).
Result<std::filesystem::path> findRun(const CommonOptions& common, const std::string& name);

/// A run that exists, opened for reading.
struct OpenRun {
    std::filesystem::path project, folder;
    std::string id;
    std::map<std::string, std::string> values;      ///< table run
    std::vector<store::CheckpointRow> checkpoints;  ///< in the order in which they were saved
    RunConfig config;
    const train::ModelFamily* family = nullptr;
};
/// Whether a run may lie outside of any project: enough for what needs its own folder only.
enum class MayBeAlone : unsigned char { No, Yes };
/// `name` is an id in the project, or a run folder. Errors: run.missing (nearest id suggested),
/// project.missing, store.*, config.*.
Result<OpenRun> openRun(const CommonOptions& common, const std::string& name,
                        MayBeAlone mayBeAlone = MayBeAlone::No);

/// What the run has under "last", "best", a step or the name of its folder. Errors: checkpoint.missing,
/// checkpoint.average.
Result<store::CheckpointRow> findCheckpoint(const OpenRun& run, const std::string& which);

/// Says where "best" names the last checkpoint because none has a checkpoint.metric.
void noteWithoutBest(const CommonOptions& common, const OpenRun& run, const std::string& which);

/// A checkpoint chosen by "last", "best", a step, or a path; read and its hashes checked. Errors:
/// checkpoint.*; the remedy of a damaged one names one that is sound.
struct ChosenCheckpoint {
    std::filesystem::path folder;
    train::TrainingState state;
    std::string sha256;
};
Result<ChosenCheckpoint> chooseCheckpoint(const OpenRun& run, const std::string& which);
/// The step of the one that the remedy of such a checkpoint.damaged names.
std::optional<std::int64_t> intactCheckpoint(const OpenRun& run, const std::string& damaged);

/// The weights to generate with: one checkpoint's, or with "avgN" the mean of the N best by
/// checkpoint.metric (fairseq average_checkpoints.py). Errors: as above; checkpoint.too_few.
struct ChosenWeights {
    std::vector<ChosenCheckpoint> parts;  ///< best first; one if nothing is averaged

    [[nodiscard]] std::int64_t step() const;   ///< the newest one's
    [[nodiscard]] std::string name() const;    ///< the folder, or "avg5 of steps 8, 12, …"
    [[nodiscard]] std::string sha256() const;  ///< of the checkpoint; of all hashes if there are several
    /// {"checkpoint","step"} and, of a mean, "averaged": the folders.
    [[nodiscard]] nlohmann::json document() const;
};
Result<ChosenWeights> chooseWeights(const OpenRun& run, const std::string& which);
/// True if `which` now names other weights than those chosen by it. False where it names nothing any more: a
/// checkpoint that is gone from the disk can still serve from memory. Reads no weights.
[[nodiscard]] bool meansOthers(const OpenRun& run, const std::string& which, const ChosenWeights& weights);

/// A run's model with its weights, ready to generate.
struct LoadedModel {
    OpenRun run;
    ChosenWeights weights;
    text::Tokenizers tokenizers;                ///< the run's own copies
    std::shared_ptr<const text::Dataset> data;  ///< null unless it was asked for
    RunConfig
        sampler;  ///< the run's config, over it its default sampler where requested, and --set sampler.*
    std::unique_ptr<train::SequenceModel> model;
    c10::Device device = c10::kCPU;
    std::shared_ptr<train::RunResolver> resolver;
    std::shared_ptr<const train::SentenceCorpus> maybeCorpus;

    [[nodiscard]] train::TextModel text() const { return {*model, tokenizers, resolver.get(), maybeCorpus}; }
    [[nodiscard]] train::TraceOrigin origin() const;
    [[nodiscard]] std::uint64_t seed(const CommonOptions& common) const;
};
struct RequestedWeights {
    std::string run, checkpoint;
    /// Decodes with the run's default sampler (store::defaultSampler), and says so on stderr.
    bool defaultSampler = false;
    /// Prepares the data, too: the project's corpora have to be there.
    bool data = false;
    /// Reads sentences of the training data for traces, where the run has documents and the project is there.
    bool corpus = false;
};
Result<LoadedModel> loadModel(const CommonOptions& common, const RequestedWeights& wanted);
/// "steps=8 noise_factor=2", for messages.
[[nodiscard]] std::string samplerText(const store::SamplerSettings& settings);
/// All sampler.* settings as texts.
[[nodiscard]] std::map<std::string, std::string> samplerValues(const RunConfig& config);
/// Help of --own-sampler, of the commands that decode with the default sampler.
inline constexpr const char* kOwnSamplerHelp =
    "ignore the run's default sampler (kurve default-sampler); --set still applies";

/// A bar for the preparation of data.
[[nodiscard]] text::Progress preparationProgress(const CommonOptions& common);
/// Facts about program, machine and processes that train, for table run, key "environment".
[[nodiscard]] std::string environmentText(c10::Device device, int processes = 1);

}  // namespace kurve::engine
