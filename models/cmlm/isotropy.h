#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/train/model_family.h"

namespace kurve::models::cmlm {

/// F [d, d]: the rows of states F have the inner products of the vocabulary logits states E^T, and so their
/// cosines, their centred ones and their rank, at a d-th of V the size.
[[nodiscard]] at::Tensor logitFactor(const at::Tensor& table);

/// Mean cosine of different ordinary positions of a sentence, pooled over all pairs of all sentences (spec
/// 1.11): states [B, L, d], lengths with BOS and EOS.
[[nodiscard]] train::Tally averageSimilarity(const at::Tensor& states, std::span<const std::int32_t> lengths);

/// Similarities of the winning candidates after the passes 1, 4 and 10, as Generation::measures:
/// "similarity_logits_1", "similarity_centred_4" (of the logits less their mean over the vocabulary, which
/// softmax does not see), "similarity_features_10", ….
class IsotropyMeter {
public:
    explicit IsotropyMeter(const at::Tensor& table)
        : factor_(logitFactor(table)), centredFactor_(logitFactor(table - table.mean(0, true))) {}
    [[nodiscard]] bool wants(int pass) const;
    /// Keeps the features [rows, L, d] of pass `pass` (from 0) if it is one of those.
    void keep(int pass, const at::Tensor& features);
    /// The group is done: of each sentence row `winners[i]` of length `lengths[i]` counts.
    void count(std::span<const std::int64_t> winners, std::span<const std::int32_t> lengths);
    [[nodiscard]] const std::map<std::string, train::Tally>& measures() const { return measures_; }

private:
    at::Tensor factor_, centredFactor_;
    std::map<int, at::Tensor> kept_;  ///< by pass, from 1
    std::map<std::string, train::Tally> measures_;
};

}  // namespace kurve::models::cmlm
