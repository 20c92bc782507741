#pragma once

#include <c10/core/Device.h>

#include <filesystem>
#include <memory>
#include <span>

#include "app/engine/run_access.h"
#include "core/metrics/judged_metrics.h"
#include "core/train/candidate_judge.h"

namespace kurve::engine {

/// What a judge read: by pair, empty where the text is longer than it can read.
struct JudgedTexts {
    std::vector<std::vector<double>> logProbability;  ///< of every token given the source, EOS last
    std::vector<std::vector<double>> state;           ///< mean of the decoder's last states, where asked for
};

/// A run of the project that reads texts: its best checkpoint, with its own tokenizers. One thread at a time.
class TextJudge {
public:
    /// Errors: run.missing, checkpoint.*, those of the data; judge.no_likelihood (the run's family gives no
    /// exact probabilities).
    static Result<std::unique_ptr<TextJudge>> load(const CommonOptions& common,
                                                   const std::filesystem::path& project,
                                                   const std::string& run, c10::Device device);
    /// The one that judged metrics of `judged`'s outputs need: the run `asked`, or if that is empty its
    /// sampler.ppl_run. Errors: metric.no_judge, those of load().
    static Result<std::unique_ptr<TextJudge>> loadFor(const CommonOptions& common, const LoadedModel& judged,
                                                      const std::string& asked);
    Result<JudgedTexts> read(std::span<const train::JudgedPair> pairs, bool states);
    /// Run, checkpoint and hash: which it is, to the bit.
    [[nodiscard]] std::string name() const;

private:
    explicit TextJudge(LoadedModel loaded) : loaded_(std::move(loaded)) {}

    LoadedModel loaded_;
};

[[nodiscard]] bool isJudged(const std::string& metric);

/// A judged metric of outputs: gen-ppl, minus-gen-ppl or mauve-judge. `references` are read for mauve-judge
/// alone. The signature names the judge; n counts what it could read. Errors: metric.*.
Result<metrics::Score> judgedScore(const std::string& metric, const TextJudge& judge,
                                   const JudgedTexts& outputs, const JudgedTexts& references);

}  // namespace kurve::engine
