#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/train/run_reference.h"

namespace kurve::train {

/// A source and a candidate, as texts.
struct ScoredPair {
    std::string source, candidate;
};
/// What a scorer read: by pair, empty where the text or its source is longer than it can read.
struct ScoredTexts {
    std::vector<std::vector<double>> logProbability;  ///< of every token given the source, EOS last
    std::vector<std::vector<double>> state;           ///< mean of the decoder's last states, where requested
};

/// Another run that reads texts. They come as texts: it tokenises them with its own tokenizers, so that those
/// of the run that is scored may be others. One thread at a time.
class TextScorer {
public:
    /// Errors: those of frozenModel(); reference.unfit (its model gives no exact probabilities).
    static Result<std::unique_ptr<TextScorer>> of(std::shared_ptr<ReferencedRun> run, c10::Device device);
    Result<ScoredTexts> read(std::span<const ScoredPair> pairs, bool states);
    /// Mean log-probability of each candidate's tokens, EOS counted (difformer/generator.py, ppl-mbr); -inf
    /// for one that it cannot read.
    Result<std::vector<double>> score(std::span<const ScoredPair> pairs);
    /// Which it is, to the bit.
    [[nodiscard]] std::string name() const { return run_->name(); }
    [[nodiscard]] const ReferencedRun& run() const { return *run_; }

private:
    TextScorer(std::shared_ptr<ReferencedRun> run, std::unique_ptr<SequenceModel> model)
        : run_(std::move(run)), model_(std::move(model)) {}

    std::shared_ptr<ReferencedRun> run_;
    std::unique_ptr<SequenceModel> model_;
};

}  // namespace kurve::train
