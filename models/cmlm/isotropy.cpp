#include "models/cmlm/isotropy.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <utility>

#include "models/common/padding.h"

namespace kurve::models::cmlm {
namespace {

constexpr int kPasses[] = {1, 4, 10};                    // Guo et al. 2023
constexpr std::int32_t kBucketWidth = 10, kBuckets = 5;  // by source length
constexpr std::size_t kItemsAtOnce = 384;

/// [B, L, 1] 1 at the ordinary positions.
at::Tensor ordinary(std::span<const std::int32_t> lengths, const at::Tensor& states) {
    std::vector<std::int32_t> withoutEos(lengths.begin(), lengths.end());
    for (auto& length : withoutEos) --length;
    at::Tensor flags =
        realPositions(withoutEos, states.size(1), states.device()).to(states.scalar_type()).unsqueeze(2);
    flags.select(1, 0).zero_();  // BOS
    return flags;
}

std::vector<double> hostOf(const at::Tensor& perRow) {
    const at::Tensor host = perRow.to(at::kCPU, at::kDouble).contiguous();
    return {host.const_data_ptr<double>(), host.const_data_ptr<double>() + host.numel()};
}

/// exp of the entropy of the normalised singular values, [B]; rows [B, L, d].
at::Tensor effectiveRanks(const at::Tensor& rows) {
    const at::Tensor wide = rows.to(at::kCPU, at::kDouble);
    const at::Tensor gram = wide.size(1) <= wide.size(2) ? at::bmm(wide, wide.transpose(1, 2))
                                                         : at::bmm(wide.transpose(1, 2), wide);
    const at::Tensor singular = at::linalg_eigvalsh(gram).clamp_min(0).sqrt();
    const at::Tensor fractions = singular / singular.sum(-1, true).clamp_min(1e-300);
    return at::special_entr(fractions).sum(-1).exp();
}

std::string bucketOf(std::int32_t sourceTokens) {
    const std::int32_t bucket = std::clamp(sourceTokens / kBucketWidth, 0, kBuckets - 1);
    return fmt::format("_from{}", bucket * kBucketWidth);
}

}  // namespace

std::vector<Similarity> similarityOf(const at::Tensor& states, std::span<const std::int32_t> lengths,
                                     double threshold) {
    const at::Tensor counts = ordinary(lengths, states), rows = states * counts;
    const at::Tensor unit = rows / rows.norm(2, -1, true).clamp_min(1e-8);
    const at::Tensor cosines = at::bmm(unit, unit.transpose(1, 2));
    at::Tensor pairs = at::bmm(counts, counts.transpose(1, 2));
    pairs.diagonal(0, 1, 2).zero_();
    const std::vector<double> sums = hostOf((cosines * pairs).sum({1, 2})),
                              above = hostOf(((cosines > threshold) * pairs).sum({1, 2}));
    std::vector<Similarity> all(lengths.size());
    for (std::size_t r = 0; r < all.size(); ++r) {
        const double n = std::max(lengths[r] - 2, 0), count = n * (n - 1);
        if (n < 2) continue;
        all[r] = {{sums[r], count}, {above[r], count}};
    }
    return all;
}

std::vector<train::MeanAccumulator> effectiveRanksOf(const at::Tensor& states,
                                                     std::span<const std::int32_t> lengths) {
    const std::vector<double> ranks = hostOf(effectiveRanks(states * ordinary(lengths, states)));
    std::vector<train::MeanAccumulator> all(lengths.size());
    for (std::size_t r = 0; r < all.size(); ++r)
        if (lengths[r] - 2 >= 2) all[r] = {ranks[r], 1};
    return all;
}

bool IsotropyMeter::collects(int pass) {
    return std::find(std::begin(kPasses), std::end(kPasses), pass + 1) != std::end(kPasses);
}

int IsotropyMeter::lastCollected(int passes) {
    int last = kPasses[0];
    for (const int pass : kPasses)
        if (pass <= passes) last = pass;
    return last;
}

void IsotropyMeter::add(const CandidateStates& states) {
    for (std::size_t r = 0; r < states.lengths.size(); ++r) {
        for (const int pass : states.passes)
            items_.push_back({statistics_.size(), pass, states.lengths[r], states.sourceTokens[r]});
        statistics_.emplace_back();
    }
    pending_.push_back(states.features);
    if (items_.size() >= kItemsAtOnce) computePending();
}

std::vector<IsotropyMeter::Statistics> IsotropyMeter::take() {
    computePending();
    return std::exchange(statistics_, {});
}

void IsotropyMeter::computePending() {
    if (items_.empty()) return;
    std::int64_t width = 0;
    for (const at::Tensor& block : pending_) width = std::max(width, block.size(1));
    for (at::Tensor& block : pending_) block = at::constant_pad_nd(block, {0, 0, 0, width - block.size(1)});
    const at::Tensor features = at::cat(pending_);
    computeSite("logits", at::matmul(features, factor_));
    computeSite("centred", at::matmul(features, centredFactor_));
    computeSite("features", features);
    pending_.clear();
    items_.clear();
}

void IsotropyMeter::computeSite(const std::string& site, const at::Tensor& states) {
    std::vector<std::int32_t> lengths, lastLengths;
    std::vector<std::int64_t> last;
    for (std::size_t i = 0; i < items_.size(); ++i) {
        lengths.push_back(items_[i].length);
        if (items_[i].pass != lastPass_) continue;
        last.push_back(static_cast<std::int64_t>(i));
        lastLengths.push_back(items_[i].length);
    }
    const std::vector<Similarity> all = similarityOf(states, lengths, threshold_);
    const bool ofLogits = site != "features";
    for (std::size_t i = 0; i < items_.size(); ++i) {
        const Item& item = items_[i];
        Statistics& to = statistics_[item.row];
        const std::string name = fmt::format("{}_{}", site, item.pass);
        to["similarity_" + name] = all[i].similarity;
        if (ofLogits) to["above_margin_" + name] = all[i].above;
        if (ofLogits && item.pass == lastPass_)
            to["similarity_" + name + bucketOf(item.sourceTokens)] = all[i].similarity;
    }
    if (!ofLogits || last.empty()) return;
    const std::vector<train::MeanAccumulator> ranks = effectiveRanksOf(
        states.index_select(0, toDevice(std::span<const std::int64_t>(last), states.device())), lastLengths);
    for (std::size_t i = 0; i < last.size(); ++i)
        statistics_[items_[static_cast<std::size_t>(last[i])].row]
                   [fmt::format("rank_{}_{}", site, lastPass_)] = ranks[i];
}

}  // namespace kurve::models::cmlm
