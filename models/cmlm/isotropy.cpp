#include "models/cmlm/isotropy.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "models/common/padding.h"

namespace kurve::models::cmlm {
namespace {

constexpr int kPasses[] = {1, 4, 10};                    // spec 1.11
constexpr std::int32_t kBucketWidth = 10, kBuckets = 5;  // spec 1.11, by source length
constexpr int kBucketPass = 10;

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

/// exp of the entropy of the singular values' shares (Roy and Vetterli 2007), [B]; rows [B, L, d].
at::Tensor effectiveRanks(const at::Tensor& rows) {
    const at::Tensor wide = rows.to(at::kCPU, at::kDouble);
    const at::Tensor gram = wide.size(1) <= wide.size(2) ? at::bmm(wide, wide.transpose(1, 2))
                                                         : at::bmm(wide.transpose(1, 2), wide);
    const at::Tensor singular = at::linalg_eigvalsh(gram).clamp_min(0).sqrt();
    const at::Tensor shares = singular / singular.sum(-1, true).clamp_min(1e-300);
    return at::special_entr(shares).sum(-1).exp();
}

std::string bucketOf(std::int32_t sourceWords) {
    const std::int32_t bucket = std::clamp(sourceWords / kBucketWidth, 0, kBuckets - 1);
    return fmt::format("_from{}", bucket * kBucketWidth);
}

}  // namespace

at::Tensor logitFactor(const at::Tensor& table) {
    const at::Tensor words = table.detach().to(at::kCPU, at::kDouble);
    const auto [values, vectors] = at::linalg_eigh(at::mm(words.t(), words));
    return (vectors * values.clamp_min(0).sqrt()).to(table.options());
}

std::vector<Likeness> likenessOf(const at::Tensor& states, std::span<const std::int32_t> lengths,
                                 double threshold) {
    const at::Tensor counts = ordinary(lengths, states), rows = states * counts;
    const at::Tensor unit = rows / rows.norm(2, -1, true).clamp_min(1e-8);
    const at::Tensor cosines = at::bmm(unit, unit.transpose(1, 2));
    at::Tensor pairs = at::bmm(counts, counts.transpose(1, 2));
    pairs.diagonal(0, 1, 2).zero_();
    const std::vector<double> sums = hostOf((cosines * pairs).sum({1, 2})),
                              above = hostOf(((cosines > threshold) * pairs).sum({1, 2})),
                              ranks = hostOf(effectiveRanks(rows));
    std::vector<Likeness> all(lengths.size());
    for (std::size_t r = 0; r < all.size(); ++r) {
        const double n = std::max(lengths[r] - 2, 0), count = n * (n - 1);
        if (n < 2) continue;
        all[r] = {{sums[r], count}, {above[r], count}, {ranks[r], 1}};
    }
    return all;
}

bool IsotropyMeter::wants(int pass) const {
    return std::find(std::begin(kPasses), std::end(kPasses), pass + 1) != std::end(kPasses);
}

void IsotropyMeter::keep(int pass, const at::Tensor& features) {
    if (wants(pass)) kept_[pass + 1] = features;
}

void IsotropyMeter::add(const std::string& site, const at::Tensor& states, const MeasuredRows& rows,
                        std::vector<Measures>& to) const {
    const std::vector<Likeness> all = likenessOf(states, rows.lengths, threshold_);
    const bool ofLogits = !site.starts_with("features"),
               byLength = ofLogits && site.ends_with(fmt::format("_{}", kBucketPass));
    for (std::size_t r = 0; r < to.size(); ++r) {
        to[r]["similarity_" + site] = all[r].similarity;
        if (byLength) to[r]["similarity_" + site + bucketOf(rows.sourceWords[r])] = all[r].similarity;
        if (!ofLogits) continue;
        to[r]["above_margin_" + site] = all[r].above;
        to[r]["rank_" + site] = all[r].rank;
    }
}

std::vector<IsotropyMeter::Measures> IsotropyMeter::measures(const MeasuredRows& rows) {
    std::vector<Measures> all(rows.lengths.size());
    for (const auto& [pass, kept] : kept_) {
        const at::Tensor features =
            rows.which.empty() ? kept : kept.index_select(0, toDevice(rows.which, kept.device()));
        add(fmt::format("logits_{}", pass), at::matmul(features, factor_), rows, all);
        add(fmt::format("centred_{}", pass), at::matmul(features, centredFactor_), rows, all);
        add(fmt::format("features_{}", pass), features, rows, all);
    }
    kept_.clear();
    return all;
}

}  // namespace kurve::models::cmlm
