#pragma once

#include "core/diffusion/gaussian_process.h"
#include "models/difformer/difformer_net.h"

namespace kurve::models::difformer {

/// Keeps what a trace needs of the first rows of a running generation, and turns one of them into a trace
/// afterwards. Tensors stay on the device until finish().
class TraceRecorder {
public:
    /// Records `rows` candidates of source 0; the request's `what` and edits count, and it must outlive this.
    TraceRecorder(const train::GenerateRequest& request, std::int64_t rows, int processSteps);

    /// To be given to the network as its taps; refreshed every step.
    [[nodiscard]] Taps& taps() { return taps_; }
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
    void addTaps(trace::Trace& out, const Finish& which) const;

    const train::GenerateRequest& request_;
    std::int64_t rows_;
    int processSteps_;
    Taps taps_;
    std::vector<schedule::ReverseStep> steps_;
    std::vector<at::Tensor> noisy_, words_, tokens_;  ///< per step, [rows, …]
    std::map<std::string, std::vector<at::Tensor>> tapped_;
};

}  // namespace kurve::models::difformer
