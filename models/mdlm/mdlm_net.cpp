#include "models/mdlm/mdlm_net.h"

#include <torch/torch.h>

#include "core/base/check.h"
#include "models/common/encoder.h"
#include "models/common/neighbour_mixing.h"

namespace kurve::models::mdlm {
namespace {

constexpr std::int64_t kTimeFeatures = 256;

std::int64_t headWidth(const MdlmSizes& sizes) {
    KURVE_CHECK(sizes.layers > 0 && sizes.heads > 0, "{} layers, {} heads", sizes.layers, sizes.heads);
    KURVE_CHECK(sizes.conditioning > 0 || !sizes.timeConditioning, "time conditioning without adaLN");
    return sizes.hidden / sizes.heads;
}

PreNormSizes blockSizes(const MdlmSizes& sizes) {
    return {sizes.hidden, sizes.heads, sizes.ffn, sizes.conditioning};
}

}  // namespace

MdlmNetImpl::MdlmNetImpl(const MdlmSizes& sizes)
    : embedding(register_module("embedding", zeroTable(sizes.vocabulary, sizes.hidden))),
      norm(register_module("norm", ModulatedNorm(sizes.hidden))),
      sizes_(sizes),
      rotary_(headWidth(sizes)) {
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        blocks.push_back(register_module("block_" + std::to_string(i), PreNormBlock(blockSizes(sizes))));
    if (!sizes.tied) output = register_module("output", torch::nn::Linear(sizes.hidden, sizes.vocabulary));
    if (sizes.conditioning == 0) return;
    time = register_module(
        "time", TimeEmbedding(MlpImpl::Widths{kTimeFeatures, sizes.conditioning, sizes.conditioning}));
    modulation = register_module("modulation", torch::nn::Linear(sizes.conditioning, 2 * sizes.hidden));
}

at::Tensor MdlmNetImpl::embedded(const at::Tensor& ids, const at::Tensor& maybeMask) {
    const at::Tensor x = at::embedding(embedding->weight, ids);
    return sizes_.smoothInput ? mixNeighbours(x, maybeMask) : x;
}

at::Tensor MdlmNetImpl::condition(const at::Tensor& maybeSigma) {
    if (!time) return {};
    const auto options = embedding->weight.options();
    if (!sizes_.timeConditioning) return at::silu(time(at::zeros({}, options)));
    return at::silu(time(maybeSigma.to(options)));
}

BlockContext MdlmNetImpl::context(const at::Tensor& ids, const at::Tensor& maybeSigma,
                                  const at::Tensor& maybeMask) {
    KURVE_CHECK(ids.dim() == 2 && ids.scalar_type() == at::kLong, "ids of {} dimensions", ids.dim());
    KURVE_CHECK(sizes_.maxPositions == 0 || ids.size(1) <= sizes_.maxPositions, "{} positions of {}",
                ids.size(1), sizes_.maxPositions);
    KURVE_CHECK(!sizes_.timeConditioning ||
                    (maybeSigma.defined() && maybeSigma.dim() == 1 && maybeSigma.size(0) == ids.size(0)),
                "{} rows need a sigma each", ids.size(0));
    return {condition(maybeSigma), maybeMask, rotary_.table({ids.size(1)}, embedding->weight)};
}

Modulation MdlmNetImpl::finalModulation(const at::Tensor& maybeCondition) {
    if (!modulation) return {};
    const std::vector<at::Tensor> both = modulationVectors(modulation, maybeCondition, 2);
    return {both[0], both[1], {}};
}

at::Tensor MdlmNetImpl::states(const at::Tensor& ids, const at::Tensor& maybeSigma,
                               const at::Tensor& maybeMask, const ForwardPass& pass) {
    const BlockContext shared = context(ids, maybeSigma, maybeMask);
    at::Tensor x = embedded(ids, maybeMask);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::string number = std::to_string(i);
        x = blocks[i](x, shared, pass, "block." + number);
        if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)
            pass.maybeCapture->tensors["hidden/" + number] = x.detach();
        pass.keep("block_" + number, x, maybeMask);
    }
    return norm(x, finalModulation(shared.maybeCondition));
}

at::Tensor MdlmNetImpl::statesAt(const at::Tensor& ids, const at::Tensor& maybeSigma,
                                 const at::Tensor& maybeMask, const at::Tensor& flatPositions) {
    if (flatPositions.numel() == 0) return at::empty({0, sizes_.hidden}, embedding->weight.options());
    const BlockContext shared = context(ids, maybeSigma, maybeMask);
    const QueryIndex queries = queryIndex(flatPositions, {ids.size(0), ids.size(1)}, device());
    at::Tensor x = embedded(ids, maybeMask);
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) x = blocks[i](x, shared, ForwardPass{}, "");
    x = blocks.back()->forwardAtPositions(x, shared, queries);
    return norm(x, atRows(finalModulation(shared.maybeCondition), queries.row));
}

at::Tensor MdlmNetImpl::logits(const at::Tensor& states) {
    return output ? output(states) : at::linear(states, embedding->weight);
}

const at::Tensor& MdlmNetImpl::outputTable() const {
    return output ? output->weight : embedding->weight;
}

at::Tensor MdlmNetImpl::maybeOutputBias() const {
    return output ? output->bias : at::Tensor();
}

Initializer mdlmInitializer(const MdlmSizes& sizes, const std::string& name, const at::Tensor& parameter) {
    if (name == "embedding.weight") return linearDefault(sizes.hidden);
    if (name == "output.weight" || name == "output.bias") return zeros();
    if (name == "time.in.weight" || name == "time.in.bias") return linearDefault(kTimeFeatures);
    if (name == "time.out.weight" || name == "time.out.bias") return linearDefault(sizes.conditioning);
    return preNormInitializer(blockSizes(sizes), name, parameter);
}

}  // namespace kurve::models::mdlm
