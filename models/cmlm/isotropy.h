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

/// How alike the states of one sentence's ordinary positions are; counts are 0 if there are fewer than two.
struct Likeness {
    train::Tally similarity;  ///< cosine over all pairs of different positions (spec 1.11)
    train::Tally above;       ///< 1 for each of those pairs whose cosine exceeds a threshold
    train::Tally rank;        ///< of the sentence: effective rank, as metrics::SimilaritySummary
};
/// states [B, L, d], lengths with BOS and EOS; one for each row. Waits for the device.
[[nodiscard]] std::vector<Likeness> likenessOf(const at::Tensor& states,
                                               std::span<const std::int32_t> lengths, double threshold);

/// What a group of candidates is, row by row.
struct MeasuredRows {
    std::span<const std::int32_t> lengths;      ///< BOS and EOS included
    std::span<const std::int32_t> sourceWords;  ///< pieces of the source, without BOS and EOS
    std::span<const std::int64_t> which = {};  ///< rows of the kept states that these are; empty: all of them
};

/// Likeness of every candidate's states after the passes 1, 4 and 10, as Candidate::measures: of the logits
/// ("similarity_logits_4", "above_margin_logits_4", "rank_logits_4"), of the logits less their mean over the
/// vocabulary, which softmax does not see ("…_centred_4"), and the similarity of the last states
/// ("similarity_features_4"). Of pass 10 also by the source's length: "similarity_logits_10_from20" is of
/// those with 20 to 29 pieces; buckets begin at 0, 10, 20, 30 and 40.
class IsotropyMeter {
public:
    using Measures = std::map<std::string, train::Tally>;
    IsotropyMeter(const at::Tensor& table, double threshold)
        : factor_(logitFactor(table)),
          centredFactor_(logitFactor(table - table.mean(0, true))),
          threshold_(threshold) {}
    [[nodiscard]] bool wants(int pass) const;
    /// Keeps the features [rows, L, d] of pass `pass` (from 0) if it is one of those.
    void keep(int pass, const at::Tensor& features);
    /// The group is done: one for each row. Forgets what it kept.
    [[nodiscard]] std::vector<Measures> measures(const MeasuredRows& rows);

private:
    void add(const std::string& site, const at::Tensor& states, const MeasuredRows& rows,
             std::vector<Measures>& to) const;

    at::Tensor factor_, centredFactor_;
    double threshold_;
    std::map<int, at::Tensor> kept_;  ///< by pass, from 1
};

}  // namespace kurve::models::cmlm
