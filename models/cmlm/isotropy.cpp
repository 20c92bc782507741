#include "models/cmlm/isotropy.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "models/common/padding.h"

namespace kurve::models::cmlm {
namespace {

constexpr int kPasses[] = {1, 4, 10};  // spec 1.11

void add(train::Tally& to, const train::Tally& more) {
    to.sum += more.sum;
    to.count += more.count;
}

}  // namespace

at::Tensor logitFactor(const at::Tensor& table) {
    const at::Tensor words = table.detach().to(at::kCPU, at::kDouble);
    const auto [values, vectors] = at::linalg_eigh(at::mm(words.t(), words));
    return (vectors * values.clamp_min(0).sqrt()).to(table.options());
}

train::Tally averageSimilarity(const at::Tensor& states, std::span<const std::int32_t> lengths) {
    train::Tally tally;
    std::vector<std::int32_t> withoutEos(lengths.begin(), lengths.end());
    for (auto& length : withoutEos) {
        const double n = std::max(--length - 1, 0);
        tally.count += n * (n - 1);
    }
    at::Tensor counts =
        realPositions(withoutEos, states.size(1), states.device()).to(at::kFloat).unsqueeze(2);
    counts.select(1, 0).zero_();  // BOS
    at::Tensor rows = states * counts;
    rows = rows / rows.norm(2, -1, true).clamp_min(1e-8);
    // |sum of unit rows|^2 counts every ordered pair, and each row with itself.
    tally.sum = (rows.sum(1).square().sum() - rows.square().sum()).item<double>();
    return tally;
}

bool IsotropyMeter::wants(int pass) const {
    return std::find(std::begin(kPasses), std::end(kPasses), pass + 1) != std::end(kPasses);
}

void IsotropyMeter::keep(int pass, const at::Tensor& features) {
    if (wants(pass)) kept_[pass + 1] = features;
}

void IsotropyMeter::count(std::span<const std::int64_t> winners, std::span<const std::int32_t> lengths) {
    for (const auto& kept : kept_) {
        const int pass = kept.first;
        const at::Tensor chosen = kept.second.index_select(0, toDevice(winners, kept.second.device()));
        const auto measure = [&](const char* what, const at::Tensor& states) {
            add(measures_[fmt::format("similarity_{}_{}", what, pass)], averageSimilarity(states, lengths));
        };
        measure("logits", at::matmul(chosen, factor_));
        measure("centred", at::matmul(chosen, centredFactor_));
        measure("features", chosen);
    }
    kept_.clear();
}

}  // namespace kurve::models::cmlm
