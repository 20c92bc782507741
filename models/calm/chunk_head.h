#pragma once

#include <torch/nn/module.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/calm_autoencoder/autoencoder_net.h"
#include "models/common/init.h"
#include "models/common/text_chunks.h"

namespace kurve::models::calm {

/// The chunks that states are to predict.
struct HeadTargets {
    calm_autoencoder::Posterior posterior;  ///< [n, l]
    const ChunkPlaces* places = nullptr;    ///< of the n, for random numbers
    train::StepRandom random;
};

/// Per predicted chunk [n].
struct HeadLoss {
    at::Tensor loss;                          ///< differentiable by the states
    std::map<std::string, at::Tensor> parts;  ///< detached
};

/// How vectors are drawn from a denoising head.
struct HeadSampling {
    std::int64_t steps = 0;
    bool midpoint = false;
};

/// Where the random numbers of draws come from: they depend on a text's row and the chunk's place, not on
/// which texts are drawn together.
struct DrawRandom {
    std::uint64_t seed = 0, chunk = 0;
    std::uint64_t attempt = 0;        ///< of draws for the same chunk
    std::vector<std::uint64_t> rows;  ///< of the states
    /// [rows, width] f32.
    [[nodiscard]] at::Tensor numbers(ChunkPlaces::Draw draw, std::int64_t width, std::int64_t step,
                                     c10::Device device) const;
};

/// Initial weights of a head (init.kind, init.output).
struct HeadStart {
    bool published = true, zeroOutput = true;
};

/// The head of CALM that draws a chunk's vector given a state (Shao et al. 2025, section 3): never a
/// likelihood.
class ChunkHead : public torch::nn::Module {
public:
    /// h [n, H].
    virtual HeadLoss loss(const at::Tensor& h, const HeadTargets& targets) = 0;
    /// `draws` vectors for each of h [n, H], [n, draws, l].
    virtual at::Tensor sample(const at::Tensor& h, std::int64_t draws, const DrawRandom& random,
                              const HeadSampling& how) = 0;
    /// Vectors of a chunk that the loss draws.
    [[nodiscard]] virtual std::int64_t lossSamples() const = 0;
    /// Evaluations of the network for one vector.
    [[nodiscard]] virtual std::int64_t callsPerDraw(const HeadSampling& /*how*/) const { return 1; }
    [[nodiscard]] virtual Initializer initializer(const HeadStart& how, const std::string& name,
                                                  const at::Tensor& parameter) const = 0;
};

}  // namespace kurve::models::calm
