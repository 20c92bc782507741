#include "models/mdlm/mdlm_net.h"

#include <torch/torch.h>

#include "core/base/check.h"
#include "models/common/encoder.h"
#include "models/common/neighbour_mixing.h"
#include "models/common/padding.h"

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

MdlmNetImpl::MdlmNetImpl(const MdlmSizes& sizes, std::unique_ptr<TokenMap> maybeMap)
    : embedding(register_module("embedding", zeroTable(sizes.vocabulary, sizes.hidden))),
      norm(register_module("norm", ModulatedNorm(sizes.hidden))),
      sizes_(sizes),
      rotary_(headWidth(sizes)),
      map_(maybeMap && maybeMap->isCurve() ? std::move(maybeMap) : nullptr),
      mixture_(*this, map_ ? map_->curves() : 1, sizes.hidden) {
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        blocks.push_back(register_module("block_" + std::to_string(i), PreNormBlock(blockSizes(sizes))));
    if (!sizes.tied) output = register_module("output", Linear(sizes.hidden, sizes.vocabulary));
    if (sizes.conditioning == 0) return;
    time = register_module(
        "time", TimeEmbedding(MlpImpl::Widths{kTimeFeatures, sizes.conditioning, sizes.conditioning}));
    modulation = register_module("modulation", Linear(sizes.conditioning, 2 * sizes.hidden));
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

void MdlmNetImpl::check(const at::Tensor& ids, const at::Tensor& maybeSigma) const {
    KURVE_CHECK(ids.dim() == 2 && ids.scalar_type() == at::kLong, "ids of {} dimensions", ids.dim());
    KURVE_CHECK(sizes_.maxPositions == 0 || ids.size(1) <= sizes_.maxPositions, "{} positions of {}",
                ids.size(1), sizes_.maxPositions);
    KURVE_CHECK(!sizes_.timeConditioning ||
                    (maybeSigma.defined() && maybeSigma.dim() == 1 && maybeSigma.size(0) == ids.size(0)),
                "{} rows need a sigma each", ids.size(0));
}

BlockContext MdlmNetImpl::context(const at::Tensor& ids, const at::Tensor& maybeSigma,
                                  std::span<const std::int32_t> lengths) {
    check(ids, maybeSigma);
    const at::Tensor maybeMask =
        lengths.empty() ? at::Tensor() : attentionMask(lengths, ids.size(1), device());
    return {condition(maybeSigma), maybeMask, rotary_.table({ids.size(1)}, embedding->weight)};
}

Modulation MdlmNetImpl::finalModulation(const at::Tensor& maybeCondition) {
    if (!modulation) return {};
    const std::vector<at::Tensor> both = modulationVectors(modulation, maybeCondition, 2);
    return {both[0], both[1], {}};
}

at::Tensor MdlmNetImpl::runBlocks(at::Tensor x, const Blocks& range, const BlockContext& shared,
                                  const ForwardPass& pass) {
    for (std::size_t i = range.first; i < range.end; ++i) {
        const std::string number = std::to_string(i);
        x = blocks[i](x, shared, pass, "block." + number);
        if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)
            pass.maybeCapture->tensors["hidden/" + number] = x.detach();
        pass.keep("block_" + number, x, shared.maybeMask);
    }
    return x;
}

at::Tensor MdlmNetImpl::states(const at::Tensor& ids, const at::Tensor& maybeSigma,
                               std::span<const std::int32_t> lengths, const ForwardPass& pass) {
    const BlockContext words = context(ids, maybeSigma, lengths);
    const at::Tensor x = embedded(ids, words.maybeMask);
    if (map_) return curveStates(x, words, lengths, pass);
    return norm(runBlocks(x, {0, blocks.size()}, words, pass), finalModulation(words.maybeCondition));
}

BlockContext MdlmNetImpl::tokenContext(const BlockContext& words, const TokenLayout& layout) {
    const bool several = mixture_.curves() > 1;
    BlockContext tokens = words;
    tokens.maybeMask = mixture_.mask(layout.mask());
    if (several && words.maybeCondition.defined() && words.maybeCondition.dim() == 2)
        tokens.maybeCondition = words.maybeCondition.repeat_interleave(mixture_.curves(), 0);
    at::Tensor coordinates = layout.maybeCoordinates();  // e_n stands before the first
    if (!coordinates.defined()) {
        tokens.rotary = rotary_.table({layout.tokens() + (several ? 1 : 0)}, embedding->weight);
        return tokens;
    }
    if (several)
        coordinates = at::constant_pad_nd(coordinates, {1, 0}, -1).repeat_interleave(mixture_.curves(), 0);
    tokens.rotary = rotaryTable(coordinates.unsqueeze(1), headWidth(sizes_), 10000, embedding->weight);
    return tokens;
}

at::Tensor MdlmNetImpl::curveStates(at::Tensor x, const BlockContext& words,
                                    std::span<const std::int32_t> lengths, const ForwardPass& pass) {
    const std::int64_t rows = x.size(0), width = x.size(1);
    const std::vector<std::int32_t> whole(static_cast<std::size_t>(rows), static_cast<std::int32_t>(width));
    const auto layout = map_->layout(lengths.empty() ? whole : lengths, width, is_training());
    ForwardPass onWords = pass;
    onWords.maybeCapture = nullptr;  // a trace's states are those of control points
    x = runBlocks(x, {0, map_->liftLayer()}, words, onWords);
    const BlockContext tokens = tokenContext(words, *layout);
    x = runBlocks(mixture_.copies(layout->tokensFromWords(x), {}), {map_->liftLayer(), blocks.size()}, tokens,
                  mixture_.wide(pass));
    const at::Tensor points = mixture_.mixed(norm(x, finalModulation(tokens.maybeCondition)), pass);
    if (pass.maybeCapture != nullptr) pass.maybeCapture->tensors["curve"] = points.detach();
    return layout->wordsFromTokens(points);
}

at::Tensor MdlmNetImpl::statesAt(const at::Tensor& ids, const at::Tensor& maybeSigma,
                                 std::span<const std::int32_t> lengths, const at::Tensor& flatPositions) {
    if (flatPositions.numel() == 0) return at::empty({0, sizes_.hidden}, embedding->weight.options());
    const QueryIndex queries = queryIndex(flatPositions, {ids.size(0), ids.size(1)}, device());
    if (map_) {  // a word depends on several control points
        ForwardPass pass;
        pass.decoding = true;
        return states(ids, maybeSigma, lengths, pass)
            .reshape({-1, sizes_.hidden})
            .index_select(0, queries.flat);
    }
    const BlockContext shared = context(ids, maybeSigma, lengths);
    at::Tensor x = embedded(ids, shared.maybeMask);
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) x = blocks[i](x, shared, ForwardPass{}, "");
    x = blocks.back()->forwardAtPositions(x, shared, queries);
    return norm(x, atRows(finalModulation(shared.maybeCondition), queries.row));
}

at::Tensor MdlmNetImpl::logits(const at::Tensor& states) {
    return output ? output(states) : tensor::linear(states, embedding->weight);
}

const at::Tensor& MdlmNetImpl::outputTable() const {
    return output ? output->weight : embedding->weight;
}

at::Tensor MdlmNetImpl::maybeOutputBias() const {
    return output ? output->bias : at::Tensor();
}

Initializer mdlmInitializer(const MdlmSizes& sizes, const std::string& name, const at::Tensor& parameter) {
    if (Initializer ofCurves = curveMixtureInitializer(name)) return ofCurves;
    if (name == "embedding.weight") return linearDefault(sizes.hidden);
    if (name == "output.weight" || name == "output.bias") return zeros();
    if (name == "time.in.weight" || name == "time.in.bias") return linearDefault(kTimeFeatures);
    if (name == "time.out.weight" || name == "time.out.bias") return linearDefault(sizes.conditioning);
    return preNormInitializer(blockSizes(sizes), name, parameter);
}

}  // namespace kurve::models::mdlm
