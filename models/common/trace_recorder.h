#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>

#include "core/trace/trace_writer.h"
#include "models/common/forward_pass.h"

namespace kurve::models {

/// Host copies of tensors, as a trace holds them.
[[nodiscard]] trace::Block blockOf(const at::Tensor& values);
[[nodiscard]] std::vector<float> floatsOf(const at::Tensor& values);
[[nodiscard]] std::vector<std::uint32_t> idsOf(const at::Tensor& values);

/// Appends tokens, confidence, entropy, margin (of probabilities) and candidates of n positions, from log p
/// or p [n, V].
void addDistributions(trace::Trace& trace, const at::Tensor& logP);
void addProbabilities(trace::Trace& trace, const at::Tensor& p);

/// Records the denoising steps of one text, the same for every family: a family gives what it has of a step
/// and ends it; what it does not give is not in the trace.
class TraceRecorder {
public:
    /// Both outlive this.
    TraceRecorder(const train::GenerateRequest& request, trace::TraceSink& sink);

    /// Whether the request asks for it: "latent", "curve", "hidden", "attention".
    [[nodiscard]] bool wants(std::string_view what) const;
    [[nodiscard]] bool wantsStates() const {
        return wants("latent") || wants("hidden") || wants("attention");
    }
    /// For ForwardPass::maybeCapture.
    [[nodiscard]] StateCapture& capture() { return capture_; }

    /// Before the first step; again: the steps of another candidate follow.
    void begin(int plannedSteps);
    void addConstant(const std::string& name, trace::Block block) {
        sink_.addConstant(name, std::move(block));
    }
    /// The step that is being recorded: its layers of numbers are filled in here, as a trace of one step.
    [[nodiscard]] trace::Trace& frame() { return frame_; }
    /// A layer of this step, without the dimension of steps.
    void addLayer(const std::string& name, const at::Tensor& values);
    /// Captured hidden states [B, M, H] and attention [B, heads, M, M] of one row, at `count` positions from
    /// `first` on; of attention from or to the source its tokens without padding.
    struct Rows {
        std::int64_t row = 0, first = 0, count = 0;
    };
    void addCaptured(const std::map<std::string, at::Tensor>& captured, const Rows& rows);

    struct Time {
        double t = 0, logSnr = 0;
        int outer = 0, inner = 0;
    };
    /// Ends the step of so many positions.
    void endFrame(int positions, const Time& time);
    [[nodiscard]] int steps() const { return steps_; }

private:
    const train::GenerateRequest& request_;
    trace::TraceSink& sink_;
    StateCapture capture_;
    trace::Trace frame_;
    int steps_ = 0;
};

}  // namespace kurve::models
