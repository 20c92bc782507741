#include "models/lcm/base_net.h"

#include <torch/torch.h>

#include "core/base/check.h"
#include "core/tensor/autocast.h"

namespace kurve::models::lcm {

SentenceBlocks::SentenceBlocks(torch::nn::Module& owner, const std::string& name, const LcmSizes& sizes)
    : sizes_(sizes), rotary_(std::make_unique<RotaryEmbedding>(sizes.hidden / sizes.heads)) {
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        blocks_.push_back(
            owner.register_module(name + "_" + std::to_string(i), PreNormBlock(llamaBlock(sizes))));
    norm_ = owner.register_module(name == "block" ? "norm" : name + "_norm",
                                  ModulatedNorm(sizes.hidden, kRmsNorm));
}

BlockContext SentenceBlocks::context(std::int64_t first, std::int64_t count) {
    const RotaryTable all = rotary_->table({first + count}, norm_->weight);
    return {{}, {}, {all.cosine.narrow(0, first, count), all.sine.narrow(0, first, count)}};
}

at::Tensor SentenceBlocks::run(at::Tensor x) {
    x = tensor::atLeastFloat(x);  // what the blocks add to
    const BlockContext shared = context(0, x.size(1));
    for (PreNormBlock& block : blocks_) x = block(x, shared, ForwardPass{}, "block");
    return norm_(x);
}

at::Tensor SentenceBlocks::extend(at::Tensor x, DecodingCache& cache) {
    const BlockContext shared = context(cache.length(), x.size(1));
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        x = blocks_[i]->extend(x, shared, {cache, static_cast<std::int64_t>(i)});
    cache.advance(x.size(1));
    return norm_(x);
}

DecodingCache SentenceBlocks::newCache(std::int64_t documents, const at::TensorOptions& options) const {
    return DecodingCache({documents, sizes_.layers, sizes_.heads, sizes_.hidden / sizes_.heads}, options);
}

namespace {

class BaseNext final : public NextSentence {
public:
    BaseNext(BaseNetImpl& net, std::int64_t documents)
        : net_(net), cache_(net.blocks.newCache(documents, net.input->weight.options())) {}

    void append(const at::Tensor& vectors) override {
        next_ = net_.output(net_.blocks.extend(net_.input(vectors).unsqueeze(1), cache_).squeeze(1));
    }
    at::Tensor predict(const at::Tensor& /*noisy*/, std::int64_t /*step*/, bool /*withContext*/) override {
        KURVE_CHECK(next_.defined(), "nothing was read");
        return next_;
    }

private:
    BaseNetImpl& net_;
    DecodingCache cache_;
    at::Tensor next_;
};

}  // namespace

BaseNetImpl::BaseNetImpl(const LcmSizes& sizes)
    : LcmNetImpl(sizes),
      input(register_module("input", Linear(sizes.width, sizes.hidden))),
      output(register_module("output", Linear(sizes.hidden, sizes.width))),
      blocks(*this, "block", sizes) {}

at::Tensor BaseNetImpl::predict(const at::Tensor& clean, const NoisySentences& /*noisy*/) {
    return output(blocks.run(input(clean.narrow(1, 0, clean.size(1) - 1))));
}

std::unique_ptr<NextSentence> BaseNetImpl::begin(std::int64_t documents) {
    return std::make_unique<BaseNext>(*this, documents);
}

}  // namespace kurve::models::lcm
