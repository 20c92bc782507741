#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/sampling/mask_choice.h"

namespace kurve::sampling {

struct MaskPredictPlan {
    int passes = 10;
    MaskRule rule = MaskRule::Isotropy;
    bool overwrite = false;  ///< CORR: every pass replaces every token, not only the masked ones
};

/// One candidate while mask-predict decodes it: its n ordinary tokens (no BOS, EOS), all masked at first.
/// Each pass: run the network, setPrediction() for every position that isPredicted(), endPass(). Tokens and
/// scores are a function of the predictions alone.
class MaskedSentence {
public:
    MaskedSentence(int ordinary, const MaskPredictPlan& plan);

    [[nodiscard]] int size() const { return static_cast<int>(tokens_.size()); }
    [[nodiscard]] bool masked(int position) const {
        return masked_[at(position)] != 0;
    }  ///< the pass reads the mask
    /// Whether the position takes the network's prediction in this pass.
    [[nodiscard]] bool isPredicted(int position) const {
        return !fixed_[at(position)] && (plan_.overwrite || masked(position));
    }
    void setPrediction(int position, std::int32_t token, float logProbability);
    /// Ends the pass: the least confident tokens are masked again, as many as the plan says.
    void endPass();

    /// Edits, between the predictions and endPass(): the position gets this token, predicted or not. fix():
    /// with probability 1, and never masked again. mask(), before a pass: it reads the mask there.
    void set(int position, std::int32_t token, float logProbability);
    void fix(int position, std::int32_t token);
    void mask(int position) { masked_[at(position)] = fixed(position) ? 0 : 1; }

    /// The last token of each position, masked again or not, with its log-probability.
    [[nodiscard]] std::span<const std::int32_t> tokens() const { return tokens_; }
    [[nodiscard]] std::span<const float> scores() const { return scores_; }
    [[nodiscard]] bool fixed(int position) const { return fixed_[at(position)] != 0; }
    /// The pass that ended last left every token as it was before it.
    [[nodiscard]] bool unchanged() const { return unchanged_; }

private:
    [[nodiscard]] static std::size_t at(int position) { return static_cast<std::size_t>(position); }

    MaskPredictPlan plan_;
    int pass_ = 0;
    std::vector<std::int32_t> tokens_, before_;
    std::vector<float> scores_;
    std::vector<std::uint8_t> masked_, fixed_;
    bool unchanged_ = false;
};

}  // namespace kurve::sampling
