#include "models/diffusia/losses.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/diffusion/fused_linear_cross_entropy.h"
#include "models/common/padding.h"

namespace kurve::models::diffusia {
namespace {

/// The counted positions of [B, L, …] one after another, [n, …].
at::Tensor packed(const at::Tensor& values, const Counted& counted) {
    const at::Tensor flat = values.flatten(0, 1);
    return counted.maybeIndices.defined() ? flat.index_select(0, counted.maybeIndices) : flat;
}

at::Tensor perRow(const at::Tensor& table, const at::Tensor& t) {
    return table.index_select(0, t).view({-1, 1, 1});
}

}  // namespace

NoiseTables noiseTables(const schedule::NoiseSchedule& schedule, double noiseFactor,
                        const at::TensorOptions& options) {
    const std::span<const double> bars = schedule.alphaBars();
    const at::Tensor bar = at::empty({std::ssize(bars)}, at::TensorOptions(at::kDouble).device(at::kCPU));
    if (!bar.is_meta()) std::copy(bars.begin(), bars.end(), bar.mutable_data_ptr<double>());
    return {bar.sqrt().to(options), ((1 - bar).sqrt() * noiseFactor).to(options),
            (bar / (1 - bar)).log().to(options), std::sqrt(1 - bars.front()), bars.back()};
}

Noised noised(const at::Tensor& embedded, const Draws& draws, const NoiseTables& tables) {
    const at::Tensor clean = embedded + draws.startNoise * tables.startNoise;
    return {embedded, clean,
            at::addcmul(clean * perRow(tables.signal, draws.t), draws.noise, perRow(tables.noise, draws.t))};
}

at::Tensor roundingNll(DiffusiaNetImpl& net, const at::Tensor& x, const at::Tensor& ids,
                       const Counted& counted) {
    return diffusion::meanNll(packed(x, counted), net.targetEmbedding->weight, packed(ids, counted),
                              net.roundingBias)
        .nll;
}

LossParts lossParts(DiffusiaNetImpl& net, const Denoised& batch, const NoiseTables& tables,
                    const Counted& counted, LossForm form) {
    const auto means = [&](const at::Tensor& perToken) {
        return rowMeans(perToken, counted.lengths, counted.width);
    };
    const at::Tensor& clean = batch.noised.clean;
    const at::Tensor wanted = at::where(batch.t.eq(0).view({-1, 1, 1}), batch.noised.embedded, clean),
                     errors = packed((wanted - batch.estimate).square(), counted),
                     rounding = roundingNll(net, clean, batch.ids, counted);
    LossParts parts;
    if (form == LossForm::Code) {
        parts.mse = means(errors.mean(1));
        parts.rounding = means(rounding);
        parts.prior = means(packed(clean, counted).square().mean(1)) * tables.lastSignal;
        parts.total = parts.mse + parts.rounding + parts.prior;
        return parts;
    }
    const std::vector<float> counts(counted.lengths.begin(), counted.lengths.end());
    const at::Tensor positions = toDevice(std::span<const float>(counts), clean.device());
    parts.mse = means(errors.sum(1)) * positions;
    parts.rounding = means(rounding) * positions;
    parts.total = parts.mse * tables.steps() + parts.rounding;
    return parts;
}

std::int64_t lengthClass(std::int64_t target, std::int64_t condition, std::int64_t classes) {
    return std::clamp<std::int64_t>(target - condition + classes / 2, 0, classes - 1);
}

}  // namespace kurve::models::diffusia
