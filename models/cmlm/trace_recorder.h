#pragma once

#include "core/sampling/masked_sentence.h"
#include "models/cmlm/cmlm_net.h"

namespace kurve::models::cmlm {

/// Keeps what a trace needs of source 0's candidates while they are decoded, and turns one of them into a
/// trace afterwards. A step is a pass: its tokens and their confidence are those that stand after the pass,
/// before the least sure are masked again ("will_mask" says which); Remask: the pass found the mask there
/// again. With "latent" or "hidden" also "features" [S, N, H], what the output projection reads, and "logits"
/// [S, N, H], rows with the inner products of the vocabulary logits. top 8, entropy and margin of a word
/// are, like its confidence, those of the pass that wrote it: what a later pass says where the word stands
/// unmasked is nothing that the model was trained to say.
class TraceRecorder {
public:
    /// Records the first `rows` candidates; the request must outlive this.
    TraceRecorder(const train::GenerateRequest& request, std::int64_t rows);

    /// To be given to the network as its taps; refreshed every pass.
    [[nodiscard]] Taps& taps() { return taps_; }
    /// Before a pass: who is masked. After its offers: what stands. After endPass(): who is masked next.
    void begin(std::span<const sampling::MaskedSentence> sentences);
    void record(const at::Tensor& features, std::span<const sampling::MaskedSentence> sentences);
    void end(std::span<const sampling::MaskedSentence> sentences);

    struct Finish {
        std::int64_t row = 0;     ///< the chosen candidate
        std::int32_t length = 0;  ///< BOS and EOS included
        std::int32_t mask = 0;
        bool banSpecials = true;
        int passes = 1;  ///< that were planned
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
    /// [L] bool: slots whose word and confidence a pass has left as they were.
    [[nodiscard]] at::Tensor keptBy(std::size_t step, const Finish& which) const;
    void addDistribution(trace::Trace& out, const CmlmNetImpl& net, const Finish& which) const;
    void addCells(trace::Trace& out, const Finish& which) const;
    [[nodiscard]] trace::SlotState stateOf(std::size_t step, std::size_t row, std::size_t slot) const;
    void addStates(trace::Trace& out, const CmlmNetImpl& net, const Finish& which) const;

    const train::GenerateRequest& request_;
    std::int64_t rows_;
    Taps taps_;
    std::vector<std::vector<Cells>> cells_;  ///< [passes][rows]
    std::vector<at::Tensor> features_;       ///< per pass, [rows, L, H]
    std::map<std::string, std::vector<at::Tensor>> tapped_;
};

}  // namespace kurve::models::cmlm
