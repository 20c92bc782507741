#include "models/calm/denoising_head.h"

#include <torch/torch.h>

#include <cmath>
#include <numbers>

#include "core/tensor/autocast.h"
#include "core/tensor/to_device.h"
#include "models/calm/calm_net.h"
#include "models/common/layers.h"
#include "models/common/padding.h"

namespace kurve::models::calm {
namespace {

constexpr std::int64_t kTimeFeatures = 256;

at::Tensor unaffine(const at::Tensor& x) {
    return at::layer_norm(x, {x.size(-1)}, {}, {}, kNormEpsilon);
}

/// A number of each step, gathered by times [n] i64: [n, 1].
at::Tensor gathered(const std::vector<LearnedRange::Step>& steps, double LearnedRange::Step::*value,
                    const at::Tensor& times, const at::Tensor& like) {
    std::vector<double> all;
    for (const auto& step : steps) all.push_back(step.*value);
    return tensor::toDevice(at::tensor(all).to(like.scalar_type()), like.device())
        .index_select(0, times)
        .unsqueeze(1);
}

/// Means over the n noised vectors of each chunk.
HeadLoss averaged(const HeadLoss& each, std::int64_t n) {
    const auto mean = [n](const at::Tensor& x) { return x.view({-1, n}).mean(1); };
    HeadLoss out{mean(each.loss), {}};
    for (const auto& [name, part] : each.parts) out.parts[name] = mean(part).detach();
    return out;
}

}  // namespace

DenoisingBlockImpl::DenoisingBlockImpl(std::int64_t hidden)
    : norm(register_module("norm", layerNorm(hidden, kNormEpsilon))),
      mlp(register_module("mlp", Mlp(MlpImpl::Widths{hidden, hidden, hidden}, MlpActivation::Silu))),
      modulation(register_module("modulation", Linear(hidden, 3 * hidden))) {}

at::Tensor DenoisingBlockImpl::forward(const at::Tensor& x, const at::Tensor& condition) {
    const std::vector<at::Tensor> by = modulation(condition).chunk(3, -1);
    return at::addcmul(x, by[2], mlp(modulated(norm(x), {by[0], by[1], {}})));
}

DenoisingHead::DenoisingHead(const DenoisingHeadSizes& sizes) : sizes_(sizes) {
    const std::int64_t hidden = sizes.hidden;
    input_ = register_module("input", Linear(sizes.latent, hidden));
    condition_ = register_module("condition", Linear(hidden, hidden));
    time_ = register_module("time", TimeEmbedding(MlpImpl::Widths{kTimeFeatures, hidden, hidden}));
    for (std::int64_t i = 0; i < sizes.blocks; ++i)
        blocks_.push_back(register_module("block_" + std::to_string(i), DenoisingBlock(hidden)));
    finalModulation_ = register_module("final_modulation", Linear(hidden, 2 * hidden));
    output_ = register_module("output", Linear(hidden, sizes.flow ? sizes.latent : 2 * sizes.latent));
}

at::Tensor DenoisingHead::predict(const at::Tensor& x, const at::Tensor& times, const at::Tensor& h) {
    const at::Tensor condition = at::silu(condition_(h) + time_(times.to(x.scalar_type())));
    at::Tensor y = tensor::atLeastFloat(input_(x));
    for (DenoisingBlock& block : blocks_) y = block(y, condition);
    const std::vector<at::Tensor> by = finalModulation_(condition).chunk(2, -1);
    return tensor::atLeastFloat(output_(modulated(unaffine(y), {by[0], by[1], {}})));
}

HeadLoss DenoisingHead::loss(const at::Tensor& h, const HeadTargets& targets) {
    const std::int64_t chunks = h.size(0), n = sizes_.samples, latent = sizes_.latent;
    const auto draw = [&](ChunkPlaces::Draw numbers, std::int64_t width, const char* purpose) {
        return targets.places->draw(numbers, n * width, {targets.random.stream(purpose), targets.random.row})
            .view({chunks * n, width})
            .to(h.scalar_type());
    };
    const auto repeated = [&](const at::Tensor& x) { return x.repeat_interleave(n, 0); };
    const at::Tensor z =
        repeated(targets.posterior.mean) +
        repeated(targets.posterior.logStd.exp()) * draw(tensor::normalRows, latent, "calm.targets");
    const at::Tensor noise = draw(tensor::normalRows, latent, "calm.noise"),
                     u = draw(tensor::uniformRows, 1, "calm.time");
    const at::Tensor states = repeated(h);
    if (sizes_.flow) return averaged(flowLoss({z, noise, states}, u), n);
    return averaged(diffusionLoss({z, noise, states}, (u.squeeze(1) * kDiffusionSteps).to(at::kLong)), n);
}

HeadLoss DenoisingHead::flowLoss(const Noised& of, const at::Tensor& u) {
    const at::Tensor x = at::lerp(of.noise, of.z, u);
    const at::Tensor v = predict(x, (u.squeeze(1) * kDiffusionSteps).floor(), of.states);
    return {(v - (of.z - of.noise)).square().mean(1), {}};
}

HeadLoss DenoisingHead::diffusionLoss(const Noised& of, const at::Tensor& times) {
    using Step = LearnedRange::Step;
    static const LearnedRange all(kDiffusionSteps);
    const auto value = [&](double Step::*what) { return gathered(all.steps(), what, times, of.z); };
    const at::Tensor signal = value(&Step::signal), sigma = value(&Step::noise),
                     x = signal * of.z + sigma * of.noise;
    const std::vector<at::Tensor> out = predict(x, times, of.states).chunk(2, 1);
    const at::Tensor mse = (out[0] - of.noise).square().mean(1);

    const at::Tensor x0Weight = value(&Step::x0Weight), xWeight = value(&Step::xWeight),
                     logPosterior = value(&Step::logPosterior);
    const at::Tensor x0 = (x - sigma * out[0].detach()) / signal, range = (out[1] + 1) / 2;
    const at::Tensor mean = x0Weight * x0 + xWeight * x, trueMean = x0Weight * of.z + xWeight * x,
                     logVariance = range * value(&Step::logBeta) + (1 - range) * logPosterior;
    const at::Tensor kl = 0.5 * (-1 + logVariance - logPosterior + (logPosterior - logVariance).exp() +
                                 (trueMean - mean).square() * (-logVariance).exp()),
                     nll = 0.5 * (std::log(2 * std::numbers::pi) + logVariance +
                                  (of.z - mean).square() * (-logVariance).exp());
    const at::Tensor bound = at::where(times.eq(0).unsqueeze(1), nll, kl).mean(1) / std::numbers::ln2;
    return {mse + bound, {{"noise_mse", mse.detach()}, {"variance_bound", bound.detach()}}};
}

at::Tensor DenoisingHead::stepBack(const at::Tensor& x, const at::Tensor& h, const LearnedRange::Step& step,
                                   const at::Tensor& noise) {
    const std::vector<at::Tensor> out =
        predict(x, at::full({x.size(0)}, step.time, x.options()), h).chunk(2, -1);
    const at::Tensor x0 = (x - step.noise * out[0]) / step.signal, part = (out[1] + 1) / 2;
    const at::Tensor logVariance = part * step.logBeta + (1 - part) * step.logPosterior;
    return step.x0Weight * x0 + step.xWeight * x + (0.5 * logVariance).exp() * noise;
}

at::Tensor DenoisingHead::denoise(at::Tensor x, const at::Tensor& h, const HeadSampling& how,
                                  const std::function<at::Tensor(std::int64_t step)>& noiseOf) {
    if (sizes_.flow) {
        const auto velocity = [&](const at::Tensor& z, double t) {
            const double time = std::floor(t * static_cast<double>(kDiffusionSteps));
            return predict(z, at::full({z.size(0)}, time, z.options()), h);
        };
        const double dt = 1.0 / static_cast<double>(how.steps);
        for (std::int64_t i = 0; i < how.steps; ++i) {
            const double t = static_cast<double>(i) * dt;
            x = how.midpoint ? diffusion::midpointStep(velocity, x, t, dt)
                             : diffusion::eulerStep(velocity, x, t, dt);
        }
        return x;
    }
    const LearnedRange range(how.steps);
    for (std::int64_t i = how.steps - 1; i >= 0; --i)
        x = stepBack(x, h, range.steps()[static_cast<std::size_t>(i)],
                     i > 0 ? noiseOf(i) : at::zeros_like(x));
    return x;
}

at::Tensor DenoisingHead::sample(const at::Tensor& h, std::int64_t draws, const DrawRandom& random,
                                 const HeadSampling& how) {
    const auto noise = [&](std::int64_t step) {
        return random.numbers(tensor::normalRows, draws * sizes_.latent, step, h.device())
            .view({-1, sizes_.latent})
            .to(h.scalar_type());
    };
    return denoise(noise(how.steps), h.repeat_interleave(draws, 0), how, noise)
        .view({h.size(0), draws, sizes_.latent});
}

Initializer DenoisingHead::initializer(const HeadStart& how, const std::string& name,
                                       const at::Tensor& parameter) const {
    for (const char* zero : {"modulation.weight", "modulation.bias", "output.weight", "output.bias"})
        if (how.zeroOutput && endsWith(name, zero)) return zeros();
    if (name.starts_with("time.") && endsWith(name, ".weight")) return normal(0.02);
    if (how.published && endsWith(name, ".weight") && !endsWith(name, "norm.weight"))
        return xavier(1, parameter.size(1), parameter.size(0));
    return plainInitializer(how.published, name, parameter);
}

}  // namespace kurve::models::calm
