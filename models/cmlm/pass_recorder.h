#pragma once

#include "core/sampling/masked_sentence.h"
#include "models/cmlm/cmlm_net.h"

namespace kurve::models::cmlm {

/// Collects the data of source 0's candidates while they are decoded, and makes the trace of one of them
/// afterwards. A step is a pass: its tokens and their confidence are those after the pass, before the least
/// confident are masked again ("will_mask" says which); Remask: the pass read the mask there again. With
/// "latent" or "hidden" also "features" [S, N, H], the input of the output projection, and "logits" [S, N,
/// H], rows with the inner products of the vocabulary logits. Top 8, entropy and margin of a token are, like
/// its confidence, those of the pass that predicted it: the model is not trained to predict tokens that are
/// not masked.
class TraceRecorder {
public:
    /// Records the first `rows` candidates; the request must outlive this.
    TraceRecorder(const train::GenerateRequest& request, std::int64_t rows);

    /// For ForwardPass::maybeCapture; cleared after every pass.
    [[nodiscard]] StateCapture& capture() { return capture_; }
    /// Before a pass: what is masked. After its predictions: the tokens. After endPass(): what is masked
    /// next.
    void begin(std::span<const sampling::MaskedSentence> sentences);
    void record(const at::Tensor& features, std::span<const sampling::MaskedSentence> sentences);
    void end(std::span<const sampling::MaskedSentence> sentences);

    struct Finish {
        std::int64_t row = 0;     ///< the chosen candidate
        std::int32_t length = 0;  ///< BOS and EOS included
        std::int32_t mask = 0;
        bool banSpecials = true;
        int passes = 1;  ///< planned
    };
    [[nodiscard]] trace::Trace finish(const CmlmNetImpl& net, const Finish& which) const;

private:
    /// One candidate in one pass.
    struct Cells {
        std::vector<std::int32_t> tokens;
        std::vector<float> scores;
        std::vector<std::uint8_t> masked, fixed, next;  ///< before it, for good, after it
    };
    [[nodiscard]] bool wants(const char* block) const;
    /// [L] bool: positions whose token and confidence a pass left unchanged.
    [[nodiscard]] at::Tensor keptBy(std::size_t step, const Finish& which) const;
    void addDistribution(trace::Trace& out, const CmlmNetImpl& net, const Finish& which) const;
    void addCells(trace::Trace& out, const Finish& which) const;
    [[nodiscard]] trace::TokenState stateOf(std::size_t step, std::size_t row, std::size_t position) const;
    void addStates(trace::Trace& out, const CmlmNetImpl& net, const Finish& which) const;

    const train::GenerateRequest& request_;
    std::int64_t rows_;
    StateCapture capture_;
    std::vector<std::vector<Cells>> cells_;  ///< [passes][rows]
    std::vector<at::Tensor> features_;       ///< per pass, [rows, L, H]
    std::map<std::string, std::vector<at::Tensor>> captured_;
};

}  // namespace kurve::models::cmlm
