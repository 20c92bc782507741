#include "models/lcm/one_tower_net.h"

#include <torch/torch.h>

#include <limits>

#include "models/common/encoder.h"

namespace kurve::models::lcm {
namespace {

PreNormSizes blockSizes(const LcmSizes& sizes) {
    return {.hidden = sizes.hidden, .heads = sizes.heads, .ffn = sizes.ffn, .norm = kRmsNorm};
}

/// Over noisy and clean entries in turns, additive: [1 or D, 1, 2 S, 2 S].
at::Tensor turnsMask(std::int64_t sentences, const at::Tensor& maybeDropped, c10::Device device) {
    const at::Tensor place = at::arange(2 * sentences, at::TensorOptions(device)),
                     sentence = place.div(2, "floor"), clean = place.remainder(2).eq(1);
    const at::Tensor from = sentence.unsqueeze(1), to = sentence.unsqueeze(0),
                     itself = place.unsqueeze(1).eq(place);
    const at::Tensor before = clean.unsqueeze(0) & (to.lt(from) | (to.eq(from) & clean.unsqueeze(1)));
    at::Tensor seen = (before | itself).unsqueeze(0);
    if (maybeDropped.defined()) {
        // Of a dropped noisy entry itself alone.
        const at::Tensor alone =
            at::stack({maybeDropped, at::zeros_like(maybeDropped)}, 2).flatten(1).unsqueeze(2);
        seen = seen & (itself.unsqueeze(0) | alone.logical_not());
    }
    return at::zeros(seen.sizes(), at::TensorOptions(device).dtype(at::kFloat))
        .masked_fill(seen.logical_not(), -std::numeric_limits<float>::infinity())
        .unsqueeze(1);
}

}  // namespace

OneTowerNetImpl::OneTowerNetImpl(const LcmSizes& sizes) : LcmNetImpl(sizes) {
    const std::int64_t hidden = sizes.hidden;
    input = register_module("input", Linear(sizes.width + hidden, hidden));
    if (isQuant(sizes.kind))
        steps = register_module("steps", zeroTable(sizes.books + 1, hidden));
    else
        time = register_module("time", TimeEmbedding(MlpImpl::Widths{sizes.timeFeatures, hidden, hidden}));
    positions = register_module("positions", zeroTable(sizes.maxSentences, hidden));
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        blocks.push_back(register_module("block_" + std::to_string(i), PreNormBlock(blockSizes(sizes))));
    norm = register_module("norm", ModulatedNorm(hidden, kRmsNorm));
    output = register_module("output",
                             Linear(hidden, sizes.kind == LcmKind::QuantD ? sizes.centroids : sizes.width));
}

// An entry is a vector beside its step's embedding: a Linear of both is the sum of two.
at::Tensor OneTowerNetImpl::entries(const at::Tensor& vectors, const at::Tensor& ofSteps) {
    return tensor::linear(vectors, input->weight.narrow(1, 0, sizes().width)) + ofSteps;
}

at::Tensor OneTowerNetImpl::ofSteps(const at::Tensor& rows) {
    const std::int64_t all = isQuant(sizes().kind) ? steps->weight.size(0) : sizes().steps + 1;
    if (isQuant(sizes().kind) || rows.numel() >= all) return at::embedding(ofAllSteps(), rows);
    const at::Tensor embedded = time(rows.flatten().to(input->weight.scalar_type()));
    return projectSteps(embedded).unflatten(0, rows.sizes());
}

at::Tensor OneTowerNetImpl::ofAllSteps() {
    return projectSteps(isQuant(sizes().kind) ? steps->weight
                                              : time(at::arange(sizes().steps + 1, input->weight.options())));
}

at::Tensor OneTowerNetImpl::projectSteps(const at::Tensor& embedded) {
    return tensor::linear(embedded, input->weight.narrow(1, sizes().width, sizes().hidden), input->bias);
}

at::Tensor OneTowerNetImpl::predict(const at::Tensor& clean, const NoisySentences& noisy) {
    const std::int64_t sentences = clean.size(1);
    const at::Tensor rows = isQuant(sizes().kind) ? noisy.steps : noisy.steps + 1;
    const at::Tensor both = at::stack(
        {entries(noisy.vectors, ofSteps(rows)), entries(clean, ofSteps(at::zeros({1}, rows.options())))},
        2);  // [D, S, 2, H]
    BlockContext context;
    context.maybeMask = turnsMask(sentences, noisy.maybeDropped, clean.device());
    at::Tensor x = (both + positions->weight.narrow(0, 0, sentences).unsqueeze(1)).flatten(1, 2);
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i) x = blocks[i](x, context, ForwardPass{}, "block");
    // Behind the last block only the noisy entries are read.
    context.maybeMask = context.maybeMask.slice(2, 0, 2 * sentences, 2);
    return output(norm(blocks.back()->forwardEvery(x, 2, context)));
}

namespace {

class OneTowerNext final : public NextSentence {
public:
    OneTowerNext(OneTowerNetImpl& net, std::int64_t documents)
        : net_(net), cache_(newCache(documents)), alone_(newCache(documents)), table_(net.ofAllSteps()) {}

    void append(const at::Tensor& vectors) override {
        (void)run(vectors, 0, cache_);
        cache_.advance();
        ++sentence_;
    }
    at::Tensor predict(const at::Tensor& noisy, std::int64_t step, bool withContext) override {
        return net_.output(net_.norm(run(noisy, net_.rowOf(step), withContext ? cache_ : alone_)));
    }

private:
    DecodingCache newCache(std::int64_t documents) {
        const LcmSizes& sizes = net_.sizes();
        return DecodingCache({documents, sizes.layers, sizes.heads, sizes.hidden / sizes.heads},
                             net_.input->weight.options());
    }
    /// An entry behind those of the cache, which keeps it only if it is advanced.
    at::Tensor run(const at::Tensor& vectors, std::int64_t row, DecodingCache& cache) {
        at::Tensor x = (net_.entries(vectors, table_[row]) + net_.positions->weight[sentence_]).unsqueeze(1);
        for (std::size_t i = 0; i < net_.blocks.size(); ++i)
            x = net_.blocks[i]->extend(x, BlockContext{}, {cache, static_cast<std::int64_t>(i)});
        return x.squeeze(1);
    }

    OneTowerNetImpl& net_;
    DecodingCache cache_, alone_;
    at::Tensor table_;
    std::int64_t sentence_ = 0;
};

}  // namespace

std::unique_ptr<NextSentence> OneTowerNetImpl::begin(std::int64_t documents) {
    return std::make_unique<OneTowerNext>(*this, documents);
}

}  // namespace kurve::models::lcm
