#include "models/calm/energy_head.h"

#include <torch/torch.h>

#include "core/tensor/autocast.h"
#include "core/tensor/ops/energy_loss.h"
#include "core/tensor/ops/fused_layers.h"
#include "models/calm/calm_net.h"
#include "models/common/layers.h"

namespace kurve::models::calm {
EnergyBlockImpl::EnergyBlockImpl(std::int64_t hidden)
    : norm(register_module("norm", layerNorm(hidden, kNormEpsilon))),
      first(register_module("first", Linear(2 * hidden, hidden))),
      second(register_module("second", Linear(hidden, hidden))),
      third(register_module("third", Linear(hidden, 2 * hidden))),
      out(register_module("out", Linear(hidden, hidden))) {}

at::Tensor EnergyBlockImpl::forward(const at::Tensor& x, const at::Tensor& condition) {
    // The condition's half of the first Linear once per state, not once per sample.
    const std::vector<at::Tensor> halves = first->weight.chunk(2, 1);
    const at::Tensor shared = tensor::linear(condition, halves[1], first->bias).unsqueeze(1);
    const at::Tensor y = at::silu(tensor::linear(norm(x), halves[0]) + shared);
    return x + out(tensor::swiGlu(third(at::silu(second(y)))));
}

EnergyHead::EnergyHead(const EnergyHeadSizes& sizes) : sizes_(sizes) {
    const std::int64_t hidden = sizes.hidden;
    const auto linear = [this](const char* name, std::int64_t in, std::int64_t out) {
        return register_module(name, Linear(in, out));
    };
    noiseIn_ = linear("noise_in", sizes.noise, hidden);
    hiddenIn_ = linear("hidden_in", hidden, hidden);
    noiseNorm_ = register_module("noise_norm", layerNorm(hidden, kNormEpsilon));
    hiddenNorm_ = register_module("hidden_norm", layerNorm(hidden, kNormEpsilon));
    for (std::int64_t i = 0; i < sizes.blocks; ++i)
        blocks_.push_back(register_module("block_" + std::to_string(i), EnergyBlock(hidden)));
    finalNorm_ = register_module("final_norm", layerNorm(hidden, kNormEpsilon));
    finalIn_ = linear("final_in", hidden, hidden);
    finalOut_ = linear("final_out", hidden, sizes.latent);
}

at::Tensor EnergyHead::vectors(const at::Tensor& h, const at::Tensor& noise) {
    const at::Tensor condition = hiddenNorm_(hiddenIn_(h));
    at::Tensor x = noiseNorm_(noiseIn_(noise));
    for (EnergyBlock& block : blocks_) x = block(x, condition);
    return tensor::atLeastFloat(finalOut_(at::silu(finalIn_(finalNorm_(x)))));
}

HeadLoss EnergyHead::loss(const at::Tensor& h, const HeadTargets& targets) {
    const tensor::RowStream noise{targets.random.stream("calm.noise"), targets.random.row};
    const at::Tensor e = targets.places->draw(tensor::uniformRows, sizes_.samples * sizes_.noise, noise)
                             .view({-1, sizes_.samples, sizes_.noise}) -
                         0.5;
    const tensor::EnergyLoss found = tensor::energyLoss(vectors(h, e), scored(targets), sizes_.alpha);
    return {found.loss, {{"energy_fidelity", found.fidelity}, {"energy_diversity", found.diversity}}};
}

tensor::EnergyTargets EnergyHead::scored(const HeadTargets& targets) const {
    return {targets.posterior.mean,
            targets.posterior.logStd,
            sizes_.targets,
            {targets.random.stream("calm.targets"), 0},
            targets.places->numbers(targets.random.row)};
}

std::map<std::string, at::Tensor> EnergyHead::levels(const HeadTargets& targets) const {
    const auto& [mean, logStd] = targets.posterior;
    const std::int64_t chunks = mean.size(0), samples = sizes_.samples;
    const at::Tensor noise = targets.places
                                 ->draw(tensor::normalRows, samples * sizes_.latent,
                                        {targets.random.stream("calm.levels"), targets.random.row})
                                 .view({chunks, samples, sizes_.latent});
    const at::Tensor drawn = mean.unsqueeze(1) + logStd.exp().unsqueeze(1) * noise;
    // Sample s of a chunk is one of a chunk some way further on.
    std::vector<at::Tensor> others;
    for (std::int64_t s = 0; s < samples; ++s) {
        const std::int64_t by = (1 + s * (chunks / (samples + 1))) % chunks;
        const at::Tensor one = drawn.select(1, s);
        others.push_back(at::cat({one.narrow(0, by, chunks - by), one.narrow(0, 0, by)}));
    }
    const auto energy = [&](const at::Tensor& x) {
        return tensor::energyLoss(x, scored(targets), sizes_.alpha).loss;
    };
    return {{"energy_known_chunk", energy(drawn)}, {"energy_random_chunk", energy(at::stack(others, 1))}};
}

at::Tensor EnergyHead::sample(const at::Tensor& h, std::int64_t draws, const DrawRandom& random,
                              const HeadSampling& /*how*/) {
    const at::Tensor e = random.numbers(tensor::uniformRows, draws * sizes_.noise, 0, h.device()) - 0.5;
    return vectors(h, e.view({h.size(0), draws, sizes_.noise}).to(h.scalar_type()));
}

Initializer EnergyHead::initializer(const HeadStart& how, const std::string& name,
                                    const at::Tensor& parameter) const {
    if (how.zeroOutput && name.starts_with("final_out.")) return zeros();
    return plainInitializer(how.published, name, parameter);
}

}  // namespace kurve::models::calm
