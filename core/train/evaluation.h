#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "core/store/run_writer.h"
#include "core/train/decode.h"

namespace kurve::train {

/// What one evaluation of a model found.
struct EvaluationReport {
    std::map<std::string, double> metrics;  ///< valid_loss, valid_nll, valid_bleu, valid_reps_bpe, …
    std::vector<store::SampleRow> samples;  ///< one per fixed prompt
    std::vector<store::TraceRow> traces;    ///< files already written
    std::vector<Error> problems;            ///< what could not be written; the metrics are there all the same
};

/// What an example of texts is sampled from: what it has up to data.prompt_end; without that nothing, of
/// documents the example's first sentence.
[[nodiscard]] text::Prompt samplePrompt(const text::Dataset& data, const std::string& example);

/// Whether a model of texts writes a given text again, as an autoencoder does: texts are sources and
/// references.
[[nodiscard]] bool rewritesTexts(const RunConfig& config);
/// Whether there is something to compare what is written with: a target, the text that is written again, or
/// what stands behind a prompt.
[[nodiscard]] bool hasReferences(const RunConfig& config);

/// The periodic evaluation of a model while it trains: validation loss with the same noise every time, BLEU
/// on the first validation pairs, and traces of the fixed prompts. Refers to the data set; changes no
/// weights.
class Evaluator {
public:
    /// `maybeResolver` outlives it.
    Evaluator(const text::Dataset& data, RunConfig config, c10::Device device,
              std::filesystem::path runFolder, RunResolver* maybeResolver);

    /// The model must be in evaluation mode. `alive` is called at least about once a second.
    Result<EvaluationReport> evaluate(SequenceModel& model, const TraceOrigin& origin,
                                      const std::function<void()>& alive) const;
    /// Mean loss and its parts over eval.loss_pairs, by target tokens.
    [[nodiscard]] std::map<std::string, double> validationLoss(SequenceModel& model,
                                                               const std::function<void()>& alive) const;
    /// BLEU of giving the source back on the same pairs; NaN if there are none.
    [[nodiscard]] double copyBleu() const;
    [[nodiscard]] int promptCount() const;
    /// A fixed prompt and its reference: of data.prompts, else of the validation split; texts that are not
    /// written again have no reference, and without data.prompts no prompt.
    struct FixedPrompt {
        text::Prompt prompt;
        std::string reference;
    };
    [[nodiscard]] FixedPrompt promptAt(int prompt) const;

private:
    Status evaluateSamples(SequenceModel& model, const std::function<void()>& alive,
                           EvaluationReport& report) const;
    /// Generates the first validation targets, or as many texts by train::samplePrompt().
    Status addSamplePrompts(DecodeRequest& request, std::size_t count) const;
    /// likelihoodScores() of the first validation examples.
    Status evaluateLikelihood(SequenceModel& model, EvaluationReport& report) const;
    /// brierScores() of the same examples, where they are cheap.
    Status evaluateBrier(SequenceModel& model, const std::function<void()>& alive,
                         EvaluationReport& report) const;
    Status evaluatePrompt(SequenceModel& model, int prompt, const TraceOrigin& origin,
                          EvaluationReport& report) const;
    void saveTrace(const RecordedTrace& recorded, store::TraceRow row, EvaluationReport& report) const;

    [[nodiscard]] TextModel text(SequenceModel& model) const { return {model, data_, maybeResolver_}; }

    const text::Dataset& data_;
    RunConfig config_;
    /// Of the first validation examples: read at once, so that nobody who edits the file ends the run.
    Result<std::vector<text::Pair>> validTexts_;
    c10::Device device_;
    std::filesystem::path runFolder_;
    RunResolver* maybeResolver_;
};

}  // namespace kurve::train
