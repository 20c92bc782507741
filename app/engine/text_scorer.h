#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <span>

#include "app/engine/run_access.h"
#include "core/metrics/scorer_metrics.h"
#include "core/train/reranker.h"

namespace kurve::engine {

/// What a scorer read: by pair, empty where the text is longer than it can read.
struct ScoredTexts {
    std::vector<std::vector<double>> logProbability;  ///< of every token given the source, EOS last
    std::vector<std::vector<double>> state;           ///< mean of the decoder's last states, where requested
};

/// A run of the project that reads texts: its best checkpoint, with its own tokenizers. One thread at a time.
class TextScorer {
public:
    /// Errors: run.missing, checkpoint.*, those of the data; scorer.no_likelihood (the run's family gives no
    /// exact probabilities).
    static Result<std::unique_ptr<TextScorer>> load(const CommonOptions& common,
                                                    const std::filesystem::path& project,
                                                    const std::string& run, c10::Device device);
    /// The scorer of `scored`'s outputs: the run `requested`, or if that is empty the sampler.scorer of
    /// `scored`. Errors: metric.no_scorer, scorer.no_source, those of load().
    static Result<std::unique_ptr<TextScorer>> loadFor(const CommonOptions& common, const LoadedModel& scored,
                                                       const std::string& requested);
    Result<ScoredTexts> read(std::span<const train::ScoredPair> pairs, bool states);
    /// Run, checkpoint and hash: which it is, to the bit.
    [[nodiscard]] std::string name() const;

private:
    explicit TextScorer(LoadedModel loaded) : loaded_(std::move(loaded)) {}

    LoadedModel loaded_;
};

[[nodiscard]] bool needsScorer(const std::string& metric);

/// A scorer metric of outputs: gen_ppl or mauve. `references` are used for mauve alone. The signature names
/// the scorer; n counts what it could read. Errors: metric.*.
Result<metrics::Score> scoreByRun(const std::string& metric, const TextScorer& scorer,
                                  const ScoredTexts& outputs, const ScoredTexts& references);

}  // namespace kurve::engine
