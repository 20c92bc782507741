#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/train/model_family.h"
#include "models/common/logit_factor.h"

namespace kurve::models::cmlm {

/// How alike the states of one sentence's ordinary positions are; counts are 0 if there are fewer than two.
struct Likeness {
    train::Tally similarity;  ///< cosine over all pairs of different positions
    train::Tally above;       ///< 1 for each of those pairs whose cosine exceeds a threshold
};
/// states [B, L, d], lengths with BOS and EOS; one for each row. Waits for the device.
[[nodiscard]] std::vector<Likeness> likenessOf(const at::Tensor& states,
                                               std::span<const std::int32_t> lengths, double threshold);
/// Of each sentence the effective rank of its ordinary positions' states, as metrics::SimilaritySummary;
/// arguments and empty counts as above. Eigenvalues of a matrix for each row: by far the dearest of these.
[[nodiscard]] std::vector<train::Tally> effectiveRanksOf(const at::Tensor& states,
                                                         std::span<const std::int32_t> lengths);

/// What some passes left of a group of candidates.
struct MeasuredStates {
    at::Tensor features;                    ///< [n * passes, L, d]: all passes of a row, then the next row's
    std::vector<int> passes;                ///< from 1
    std::span<const std::int32_t> lengths;  ///< [n] BOS and EOS included
    std::span<const std::int32_t> sourceWords;  ///< [n] pieces of the source, without BOS and EOS
};

/// Likeness of candidates' states after the passes 1, 4 and 10, as Candidate::measures: of the logits
/// ("similarity_logits_4", "above_margin_logits_4"), of the logits less their mean over the vocabulary, which
/// softmax does not see ("…_centred_4"), and the similarity of the last states ("similarity_features_4"). Of
/// pass 10 also the effective rank ("rank_logits_10") and by the source's length:
/// "similarity_logits_10_from20" is of those with 20 to 29 pieces; buckets begin at 0, 10, 20, 30 and 40.
/// Groups are small and the operations many, so they are measured many groups at once.
class IsotropyMeter {
public:
    using Measures = std::map<std::string, train::Tally>;
    /// `passes`: of the whole generation.
    IsotropyMeter(const at::Tensor& table, double threshold, int passes)
        : factor_(logitFactor(table)),
          centredFactor_(logitFactor(table - table.mean(0, true))),
          threshold_(threshold),
          lastPass_(lastWanted(passes)) {}
    /// Whether pass `pass` (from 0) is looked at.
    [[nodiscard]] static bool wants(int pass);
    void add(const MeasuredStates& states);
    /// One for each row that was added since the last take, in that order.
    [[nodiscard]] std::vector<Measures> take();

private:
    /// One pass of one row.
    struct Item {
        std::size_t row;
        int pass;
        std::int32_t length, sourceWords;
    };
    static int lastWanted(int passes);
    void measurePending();
    void measureSite(const std::string& site, const at::Tensor& states);

    at::Tensor factor_, centredFactor_;
    double threshold_;
    int lastPass_;
    std::vector<at::Tensor> pending_;  ///< [items, L, d]
    std::vector<Item> items_;          ///< of pending_
    std::vector<Measures> measures_;
};

}  // namespace kurve::models::cmlm
