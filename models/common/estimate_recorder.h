#pragma once

#include <set>
#include <span>

#include "core/schedule/noise_schedule.h"
#include "models/common/noisy_words.h"
#include "models/common/token_layout.h"
#include "models/common/trace_recorder.h"
#include "models/common/word_table.h"

namespace kurve::models {

/// Records the estimates of one candidate of source 0. While several could still be chosen, the steps of all
/// are kept on the device and those of one are written; finish() writes those of another instead.
/// Captured "condition/<m>" [rows, S, H], m = 0 … n, are states of the source: recorded under their names,
/// and of the last of them how it differs from the step before, "condition_similarity" (cosine) and
/// "condition_distance" (Euclidean), [N]; of the first step 1 and 0. Captured "layer_reads" is of the whole
/// trace.
class EstimateRecorder {
public:
    struct Setup {
        std::int64_t rows = 1;  ///< candidates of source 0
        int plannedSteps = 1, processSteps = 1;
    };
    /// The request's `what` and edits are recorded; it and the sink outlive this.
    EstimateRecorder(const train::GenerateRequest& request, trace::TraceSink& sink, const Setup& setup);

    /// For ForwardPass::maybeCapture; cleared after every step.
    [[nodiscard]] StateCapture& capture() { return recorder_.capture(); }

    /// The candidates' lengths in words, and the one that is written until finish(); all outlive this.
    struct Candidates {
        const WordTable& words;
        const TokenLayout& layout;
        std::span<const std::int32_t> lengths;
        std::int64_t likeliest = 0;
        std::int64_t condition = 0;            ///< tokens of source 0, whose captured states are recorded
        std::optional<std::int32_t> end = {};  ///< where words behind the first of it are padding
    };
    void begin(const Candidates& candidates);
    void record(const schedule::ReverseStep& step, const at::Tensor& noisy, const Estimate& estimate);
    void finish(std::int64_t chosen);

private:
    /// One step of all candidates, [rows, …].
    struct Step {
        schedule::ReverseStep step;
        at::Tensor noisy, words, tokens;
        std::map<std::string, at::Tensor> captured;
    };
    void beginRow(std::int64_t row);
    void write(const Step& step);
    void addCells(const at::Tensor& estimates);
    void addStates();
    void addCondition(std::map<std::string, at::Tensor>& captured);
    void addCaptured(const std::map<std::string, at::Tensor>& captured, std::int64_t points);

    const train::GenerateRequest& request_;
    Setup setup_;
    TraceRecorder recorder_;
    std::optional<Candidates> candidates_;
    std::int64_t row_ = 0;  ///< that is written
    bool hasCurve_ = false;
    std::vector<Step> kept_;             ///< empty where only one can be chosen
    std::vector<std::uint32_t> before_;  ///< tokens of the step before
    at::Tensor conditionBefore_;         ///< its last state of the condition [N, H]
    at::Tensor reads_;                   ///< "layer_reads"; undefined: not captured
    std::set<std::uint32_t> seen_;       ///< candidates of all positions
};

}  // namespace kurve::models
