#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/sampling/mask_choice.h"

namespace kurve::sampling {

struct MaskPredictPlan {
    int passes = 10;
    MaskRule rule = MaskRule::Isotropy;
    bool overwrite = false;  ///< CORR: every pass writes every token, not only those that are masked
};

/// One candidate while mask-predict decodes it: its n ordinary tokens (no BOS, EOS), all masked at first.
/// Each pass: ask the network, offer() what it says for every slot that asks(), endPass(). Tokens and scores
/// are a function of the offers alone.
class MaskedSentence {
public:
    MaskedSentence(int ordinary, const MaskPredictPlan& plan);

    [[nodiscard]] int size() const { return static_cast<int>(tokens_.size()); }
    [[nodiscard]] bool masked(int slot) const { return masked_[at(slot)] != 0; }  ///< what a pass reads
    /// Whether the network's word counts for the slot in this pass.
    [[nodiscard]] bool asks(int slot) const { return !fixed_[at(slot)] && (plan_.overwrite || masked(slot)); }
    [[nodiscard]] int asked() const;  ///< slots that ask
    void offer(int slot, std::int32_t token, float logProbability);
    /// Ends the pass: the least sure tokens are masked again, as the plan has it.
    void endPass();

    /// A hand, between the offers and endPass(): the slot gets this token, whether it asks or not. fix(): for
    /// certain, and it is never masked again. mask(), before a pass: it reads the mask there.
    void set(int slot, std::int32_t token, float logProbability);
    void fix(int slot, std::int32_t token);
    void mask(int slot) { masked_[at(slot)] = fixed(slot) ? 0 : 1; }

    /// The token that each slot got last, masked again or not, with its log-probability.
    [[nodiscard]] std::span<const std::int32_t> tokens() const { return tokens_; }
    [[nodiscard]] std::span<const float> scores() const { return scores_; }
    [[nodiscard]] bool fixed(int slot) const { return fixed_[at(slot)] != 0; }
    /// The pass that ended last left every token as it was before it.
    [[nodiscard]] bool unchanged() const { return unchanged_; }

private:
    [[nodiscard]] static std::size_t at(int slot) { return static_cast<std::size_t>(slot); }

    MaskPredictPlan plan_;
    int pass_ = 0;
    std::vector<std::int32_t> tokens_, before_;
    std::vector<float> scores_;
    std::vector<std::uint8_t> masked_, fixed_;
    bool unchanged_ = false;
};

}  // namespace kurve::sampling
