#pragma once

#include "core/sampling/masked_sentence.h"
#include "models/cmlm/cmlm_net.h"
#include "models/common/trace_recorder.h"

namespace kurve::models::cmlm {

/// Records the passes over one candidate of source 0. A step is a pass: its tokens and their confidence are
/// those after the pass, before the least confident are masked again ("will_mask" says which); Remask: the
/// pass read the mask there again. With "latent" or "hidden" also "features" [S, N, H], the input of the
/// output projection, and "logits" [S, N, H], rows with the inner products of the vocabulary logits.
/// Candidates, entropy and margin of a token are, like its confidence, those of the pass that predicted it:
/// the model is not trained to predict tokens that are not masked. While several candidates could still be
/// chosen, the passes of all are kept on the device and those of one are written; finish() writes those of
/// another instead.
class PassRecorder {
public:
    struct Setup {
        std::int64_t rows = 1;  ///< candidates of source 0
        int plannedPasses = 1;
        std::int32_t mask = 0;
        bool banSpecials = true;
    };
    /// The request and the sink outlive this.
    PassRecorder(const train::GenerateRequest& request, trace::TraceSink& sink, const Setup& setup);

    /// For ForwardPass::maybeCapture; cleared after every pass.
    [[nodiscard]] StateCapture& capture() { return recorder_.capture(); }

    /// The candidates' lengths, BOS and EOS included, and the one that is written until finish(); all outlive
    /// this.
    struct Candidates {
        const CmlmNetImpl& net;
        std::span<const std::int32_t> lengths;
        std::int64_t likeliest = 0;
    };
    void begin(const Candidates& candidates);
    /// Before a pass: what is masked. After its predictions: the tokens. After endPass(): what is masked
    /// next.
    void beginPass(std::span<const sampling::MaskedSentence> sentences);
    void record(const at::Tensor& features, std::span<const sampling::MaskedSentence> sentences);
    void endPass(std::span<const sampling::MaskedSentence> sentences);
    void finish(std::int64_t chosen);

private:
    /// One candidate in one pass.
    struct Cells {
        std::vector<std::int32_t> tokens;
        std::vector<float> scores;
        std::vector<std::uint8_t> masked, fixed, next;  ///< before it, for good, after it
    };
    struct Pass {
        std::vector<Cells> cells;  ///< [rows]
        at::Tensor features;       ///< [rows, L, H]
        std::map<std::string, at::Tensor> captured;
    };
    void beginRow(std::int64_t row);
    void write(const Pass& pass);
    /// [N] bool: positions whose token and confidence the pass left unchanged.
    [[nodiscard]] at::Tensor kept(const Cells& now) const;
    void addDistribution(const Cells& now, const at::Tensor& features);
    [[nodiscard]] trace::TokenState stateOf(const Cells& now, std::size_t position) const;
    void addCells(const Cells& now);
    [[nodiscard]] std::int64_t length() const { return candidates_->lengths[static_cast<std::size_t>(row_)]; }

    const train::GenerateRequest& request_;
    Setup setup_;
    TraceRecorder recorder_;
    std::optional<Candidates> candidates_;
    std::int64_t row_ = 0;    ///< that is written
    Pass pass_;               ///< that is recorded
    std::vector<Pass> kept_;  ///< empty where only one candidate can be chosen
    Cells before_;            ///< of the written candidate, one pass before
    at::Tensor logits_;       ///< [N, V] there, without edits
};

}  // namespace kurve::models::cmlm
