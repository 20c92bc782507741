#pragma once

#include <memory>
#include <set>

#include "models/common/token_layout.h"
#include "models/common/trace_recorder.h"
#include "models/mdlm/masked_text.h"

namespace kurve::models::mdlm {

/// Records the steps of one text. A step's tokens and states are those after it; a masked position holds the
/// mask, with the probability of the best token there. Certainties and candidates of a position are those of
/// the last step that asked about it. With "latent" or "hidden" also "features" [S, N, H], the input of the
/// output projection, and "logits" [S, N, H] with the inner products of the vocabulary logits. With "curve",
/// of a network with a map, its control points and the map; they are those of source and text.
class StepRecorder {
public:
    /// The request and the sink outlive this; `table`: the output projection [V, H].
    StepRecorder(const train::GenerateRequest& request, trace::TraceSink& sink, const at::Tensor& table);

    /// Whether all positions' states are needed, not only those of masked tokens.
    [[nodiscard]] bool needsStates() const { return recorder_.wantsStates() || maybeLayout_ != nullptr; }
    /// For ForwardPass::maybeCapture; read by addStates().
    [[nodiscard]] StateCapture& capture() { return recorder_.capture(); }

    /// `maybeLayout`: of the text, where the network has a map.
    void begin(const MaskedText& text, int plannedSteps, std::shared_ptr<const TokenLayout> maybeLayout);
    /// As the network reads the text.
    void beginStep(const MaskedText& text);
    /// Of these masked positions, which the sampler does not ask about, those to ask about for the trace: all
    /// while the vocabulary or the text is small, else a part of them, longest ago first, since each costs a
    /// projection onto the vocabulary.
    [[nodiscard]] std::vector<int> refreshed(const MaskedText& text, std::vector<int> positions) const;
    /// The network's distributions p [n, V] at `positions` of the text, and its states [W, H].
    void addDistributions(const MaskedText& text, const std::vector<int>& positions, const at::Tensor& p);
    void addStates(const MaskedText& text, const at::Tensor& states);
    struct Time {
        double t = 0, logSnr = 0;
    };
    /// After a step whose network read the text at that time.
    void endStep(const MaskedText& text, const Time& time);
    /// After the last step.
    void finish();

private:
    void addCurve();

    TraceRecorder recorder_;
    std::shared_ptr<const TokenLayout> maybeLayout_;
    at::Tensor table_;
    std::set<std::uint32_t> seen_;  ///< candidates of all positions, for a curve
    std::size_t refreshed_ = 0;
    at::Tensor factor_;  ///< of the logits; undefined where no states are recorded
    /// Of each position, as of the last distribution there, and its step.
    trace::Trace latest_;
    std::vector<int> asked_;
    trace::Block found_;
    at::Tensor features_;  ///< [N, H] of the last step with a network call
    std::map<std::string, at::Tensor> captured_;
    bool hasStates_ = false;  ///< in the first step, so in all
};

}  // namespace kurve::models::mdlm
