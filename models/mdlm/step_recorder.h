#pragma once

#include <map>

#include "models/common/forward_pass.h"
#include "models/mdlm/masked_text.h"

namespace kurve::models::mdlm {

/// Writes the steps of one text into a trace. A step's tokens and states are those after it; a masked
/// position holds the mask, with the probability of the best token there. Certainties and candidates of an
/// unmasked position are those of the step that unmasked it. With "latent" or "hidden" also "features" [S, N,
/// H], the input of the output projection, and "logits" [S, N, H] with the inner products of the vocabulary
/// logits.
class TraceRecorder {
public:
    /// The request must outlive this.
    explicit TraceRecorder(const train::GenerateRequest& request) : request_(request) {}

    /// Whether all positions' states are needed, not only those of masked tokens.
    [[nodiscard]] bool needsStates() const {
        return wants("latent") || wants("hidden") || wants("attention");
    }
    /// For ForwardPass::maybeCapture; cleared when it was read.
    [[nodiscard]] StateCapture& capture();
    /// The network's distributions p [n, V] at `positions` of the text, and its states [W, H], or undefined.
    void addDistributions(const MaskedText& text, const std::vector<int>& positions, const at::Tensor& p);
    void addStates(const MaskedText& text, const at::Tensor& states);
    /// After a step whose network read the text at `time`.
    struct StepTime {
        double t = 0, logSnr = 0;
    };
    void endStep(const MaskedText& text, const StepTime& time);

    /// What is recorded so far; `table`: the output projection [V, H].
    [[nodiscard]] trace::Trace finish(const at::Tensor& table) const;
    [[nodiscard]] int steps() const { return static_cast<int>(trace_.t.size()); }

private:
    [[nodiscard]] bool wants(const char* block) const;
    void begin(const MaskedText& text);

    const train::GenerateRequest& request_;
    StateCapture capture_;
    trace::Trace trace_;
    /// Of each position, as of the last distribution there.
    struct Latest {
        std::vector<float> confidence, entropy, margin, topProbability;
        std::vector<std::uint32_t> topIds;
    } latest_;
    std::vector<at::Tensor> states_;  ///< [steps][N, H]
    std::map<std::string, std::vector<at::Tensor>> captured_;
};

}  // namespace kurve::models::mdlm
