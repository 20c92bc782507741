#pragma once

#include "core/diffusion/gaussian_process.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// Collects the data of the first rows during generation, and makes the trace of one of them afterwards.
/// Tensors stay on the device until finish().
class TraceRecorder {
public:
    /// Records `rows` candidates of source 0, with the request's `what` and edits; it must outlive this.
    TraceRecorder(const train::GenerateRequest& request, std::int64_t rows, int processSteps);

    /// For ForwardPass::maybeCapture; cleared after every step.
    [[nodiscard]] StateCapture& capture() { return capture_; }
    void record(const schedule::ReverseStep& step, const at::Tensor& noisy, const Estimate& estimate);

    struct Finish {
        std::int64_t row = 0;    ///< the chosen candidate
        std::int64_t words = 0;  ///< its length
        const TokenLayout* layout = nullptr;
    };
    [[nodiscard]] trace::Trace finish(DifformerNetImpl& net, const Finish& which) const;

private:
    [[nodiscard]] bool wants(const char* block) const;
    void addTokens(trace::Trace& out, const at::Tensor& estimates, const at::Tensor& table) const;
    void addStates(trace::Trace& out) const;
    void addLatents(trace::Trace& out, const at::Tensor& latents, DifformerNetImpl& net,
                    const Finish& which) const;
    void addCaptured(trace::Trace& out, const Finish& which) const;

    const train::GenerateRequest& request_;
    std::int64_t rows_;
    int processSteps_;
    StateCapture capture_;
    std::vector<schedule::ReverseStep> steps_;
    std::vector<at::Tensor> noisy_, words_, tokens_;  ///< per step, [rows, …]
    std::map<std::string, std::vector<at::Tensor>> captured_;
};

}  // namespace kurve::models::difformer
