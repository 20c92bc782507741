#pragma once

#include <set>

#include "core/diffusion/gaussian_process.h"
#include "models/common/trace_recorder.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// Records the estimates of one candidate of source 0. While several could still be chosen, the steps of all
/// are kept on the device and those of one are written; finish() writes those of another instead.
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
        DifformerNetImpl& net;
        const TokenLayout& layout;
        std::span<const std::int32_t> lengths;
        std::int64_t likeliest = 0;
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
    void addCaptured(const std::map<std::string, at::Tensor>& captured, std::int64_t points);

    const train::GenerateRequest& request_;
    Setup setup_;
    TraceRecorder recorder_;
    std::optional<Candidates> candidates_;
    std::int64_t row_ = 0;  ///< that is written
    bool hasCurve_ = false;
    std::vector<Step> kept_;             ///< empty where only one can be chosen
    std::vector<std::uint32_t> before_;  ///< tokens of the step before
    std::set<std::uint32_t> seen_;       ///< candidates of all positions
};

}  // namespace kurve::models::difformer
