#include "models/common/replayed_denoiser.h"

namespace kurve::models {
namespace {

/// An estimate that is fed as it is stays one tensor.
tensor::ReplayedCall::Tensors tensorsOf(const Estimate& estimate) {
    if (estimate.selfConditioning.is_same(estimate.words)) return {estimate.words};
    return {estimate.words, estimate.selfConditioning};
}

}  // namespace

FieldSpec cudaGraphsField() {
    return flagField(
               "sampler.cuda_graphs", false,
               "on a GPU replay the network's calls as a CUDA graph, one launch a step: faster for small "
               "batches and many steps, the same texts; recorded traces are decoded without")
        .reportingOnly();
}

std::optional<c10::Device> graphsOn(c10::Device device, const RunConfig& sampler) {
    return device.is_cuda() && sampler.flag("sampler.cuda_graphs") ? std::optional(device) : std::nullopt;
}

ReplayedDenoiser::ReplayedDenoiser(Network network, std::optional<c10::Device> maybeGpu)
    : network_(std::move(network)) {
    if (!maybeGpu) return;
    call_.emplace(
        [network = network_](const tensor::ReplayedCall::Tensors& inputs) {
            Noisy noisy;
            noisy.words = inputs[0];
            noisy.time = inputs[1];
            if (inputs.size() > 2) noisy.previous = inputs[2];
            return tensorsOf(network(noisy));
        },
        [device = *maybeGpu] { return tensor::makeDeviceGraph(device); });
}

Estimate ReplayedDenoiser::operator()(const Noisy& noisy) {
    if (!call_) return network_(noisy);
    tensor::ReplayedCall::Tensors inputs{noisy.words, noisy.time};
    if (noisy.previous.defined()) inputs.push_back(noisy.previous);
    const tensor::ReplayedCall::Tensors results = (*call_)(inputs);
    return {results.front(), results.back(), {}};
}

}  // namespace kurve::models
