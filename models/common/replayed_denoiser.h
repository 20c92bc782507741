#pragma once

#include <functional>
#include <optional>

#include "core/config/field_spec.h"
#include "core/config/run_config.h"
#include "core/tensor/replayed_call.h"
#include "models/common/noisy_words.h"

namespace kurve::models {

/// sampler.cuda_graphs
[[nodiscard]] FieldSpec cudaGraphsField();
/// The device, where it is a GPU and the setting is on.
[[nodiscard]] std::optional<c10::Device> graphsOn(c10::Device device, const RunConfig& sampler);

/// The network's calls of one reverse diffusion over the same rows: on a GPU one launch a step, else the
/// function itself.
class ReplayedDenoiser {
public:
    using Network = std::function<Estimate(const Noisy& noisy)>;
    /// `maybeGpu`: where a graph is replayed, of a network that keeps no states (Estimate::tokens is
    /// undefined). What the network reads besides outlives this object.
    ReplayedDenoiser(Network network, std::optional<c10::Device> maybeGpu);
    Estimate operator()(const Noisy& noisy);

private:
    Network network_;
    std::optional<tensor::ReplayedCall> call_;
};

}  // namespace kurve::models
