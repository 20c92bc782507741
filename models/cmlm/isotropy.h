#pragma once

#include <ATen/core/Tensor.h>

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/train/model_family.h"
#include "models/common/logit_factor.h"

namespace kurve::models::cmlm {

/// Similarity of the states of one sentence's ordinary positions; counts are 0 if there are fewer than two.
struct Similarity {
    train::MeanAccumulator similarity;  ///< cosine over all pairs of different positions
    train::MeanAccumulator above;       ///< 1 for each of those pairs whose cosine exceeds a threshold
};
/// states [B, L, d], lengths with BOS and EOS; one for each row. Waits for the device.
[[nodiscard]] std::vector<Similarity> similarityOf(const at::Tensor& states,
                                                   std::span<const std::int32_t> lengths, double threshold);
/// Of each sentence the effective rank of its ordinary positions' states, as metrics::SimilaritySummary;
/// arguments and empty counts as above. Eigenvalues of a matrix for each row: by far the most expensive of
/// these.
[[nodiscard]] std::vector<train::MeanAccumulator> effectiveRanksOf(const at::Tensor& states,
                                                                   std::span<const std::int32_t> lengths);

/// States of a group of candidates after some passes.
struct CandidateStates {
    at::Tensor features;                    ///< [n * passes, L, d]: all passes of a row, then the next row's
    std::vector<int> passes;                ///< from 1
    std::span<const std::int32_t> lengths;  ///< [n] BOS and EOS included
    std::span<const std::int32_t> sourceTokens;  ///< [n] of the source, without BOS and EOS
};

/// Similarity of candidates' states after the passes 1, 4 and 10, as Candidate::sampleStatistics: of the
/// logits
/// ("similarity_logits_4", "above_margin_logits_4"), of the logits less their mean over the vocabulary, which
/// softmax does not see ("…_centred_4"), and the similarity of the last states ("similarity_features_4"). Of
/// pass 10 also the effective rank ("rank_logits_10") and by the source's length:
/// "similarity_logits_10_from20" is of those with 20 to 29 tokens; buckets begin at 0, 10, 20, 30 and 40.
/// Groups are small and the operations many, so many groups are computed at once.
class IsotropyMeter {
public:
    using Statistics = std::map<std::string, train::MeanAccumulator>;
    /// `passes`: of the whole generation.
    IsotropyMeter(const at::Tensor& table, double threshold, int passes)
        : factor_(logitFactor(table)),
          centredFactor_(logitFactor(table - table.mean(0, true))),
          threshold_(threshold),
          lastPass_(lastCollected(passes)) {}
    /// Whether pass `pass` (from 0) is collected.
    [[nodiscard]] static bool collects(int pass);
    void add(const CandidateStates& states);
    /// One for each row that was added since the last take, in that order.
    [[nodiscard]] std::vector<Statistics> take();

private:
    /// One pass of one row.
    struct Item {
        std::size_t row;
        int pass;
        std::int32_t length, sourceTokens;
    };
    static int lastCollected(int passes);
    void computePending();
    void computeSite(const std::string& site, const at::Tensor& states);

    at::Tensor factor_, centredFactor_;
    double threshold_;
    int lastPass_;
    std::vector<at::Tensor> pending_;  ///< [items, L, d]
    std::vector<Item> items_;          ///< of pending_
    std::vector<Statistics> statistics_;
};

}  // namespace kurve::models::cmlm
