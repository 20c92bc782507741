#pragma once

#include <functional>

#include "models/lcm/lcm_model.h"

namespace kurve::models::lcm {

/// What stands between the sampler of a next vector and a network with its context. States are [n, w].
struct NextVectorHooks {
    /// As NextSentence::predict(); [n, w or centroids].
    std::function<at::Tensor(const at::Tensor& noisy, std::int64_t step, bool withContext)> predict;
    /// N(0, 1) [n, w], one for each draw: the start is draw 0.
    std::function<at::Tensor(std::uint64_t draw)> normals;
    std::function<at::Tensor(std::uint64_t draw)> uniforms;  ///< [n] in [0, 1)
    /// After each step what the vector would be now; empty: not wanted.
    std::function<void(std::size_t step, const at::Tensor& state, const at::Tensor& estimate)> done = {};
    /// As NextSentence::predictBoth(); empty: predict() twice.
    std::function<std::pair<at::Tensor, at::Tensor>(const at::Tensor& noisy, std::int64_t step)> predictBoth =
        {};
    /// DenoisingHooks::begin.
    std::function<at::Tensor(std::size_t step, const at::Tensor& x)> begin = {};
};

/// The sampler.* fields of a model.
class VectorSampler {
public:
    /// Errors: sampler.steps.
    static Result<VectorSampler> of(LcmParts& parts, const RunConfig& sampler);
    /// Normalised vectors [n, w].
    [[nodiscard]] at::Tensor next(const NextVectorHooks& hooks) const;
    /// Steps of a sentence, for a trace.
    [[nodiscard]] std::size_t steps() const;
    /// Time in (0, 1] and log-SNR of a step; NaN where there is no noise.
    [[nodiscard]] std::pair<double, double> timeOf(std::size_t step) const;

private:
    [[nodiscard]] at::Tensor centroids(const NextVectorHooks& hooks) const;
    /// A centroid of each row [n] by its log weights [n, C].
    [[nodiscard]] at::Tensor drawn(const at::Tensor& logits, const at::Tensor& uniform) const;

    LcmParts* parts_ = nullptr;
    DenoisingSettings denoising_;
    double temperature_ = 1, topP_ = 1;
    std::int64_t topK_ = 1;
};

/// Normalised predictions [D, S, w], each from the true vectors before it; of Base the first is zero.
Result<at::Tensor> teacherForcedVectors(LcmParts& parts, const RunConfig& sampler, const Documents& documents,
                                        const train::StepRandom& random);

}  // namespace kurve::models::lcm
