#include "models/lcm/two_tower_net.h"

#include <torch/torch.h>

#include <limits>
#include <map>
#include <utility>

#include "core/tensor/activation_checkpointing.h"
#include "core/tensor/autocast.h"

namespace kurve::models::lcm {
namespace {

at::Tensor heads(const at::Tensor& x, std::int64_t count) {
    return x.view({x.size(0), x.size(1), count, x.size(2) / count}).transpose(1, 2);
}

/// 0 where a sentence may look, else -inf: [D, 1, S, S] over the null vector and the sentences but the last.
at::Tensor lookMask(const at::Tensor& dropped) {
    const std::int64_t sentences = dropped.size(1);
    const at::Tensor later = at::ones({sentences, sentences}, dropped.options()).triu(1),
                     others = at::ones({sentences}, dropped.options());
    others[0].fill_(false);
    const at::Tensor hidden = later.unsqueeze(0) | (dropped.unsqueeze(2) & others);
    return at::zeros(hidden.sizes(), dropped.options().dtype(at::kFloat))
        .masked_fill(hidden, -std::numeric_limits<float>::infinity())
        .unsqueeze(1);
}

struct LayerModulation {
    Modulation self, cross, mlp;
};

LayerModulation partsOf(const at::Tensor& vectors) {
    const auto all = vectors.chunk(9, -1);
    const auto part = [&](std::size_t i) { return Modulation{all[3 * i], all[3 * i + 1], all[3 * i + 2]}; };
    return {part(0), part(1), part(2)};
}

}  // namespace

DenoiserLayerImpl::DenoiserLayerImpl(const LcmSizes& sizes) : heads_(sizes.heads) {
    const std::int64_t hidden = sizes.hidden;
    const auto linear = [&](const char* name, std::int64_t out) {
        return register_module(name, Linear(hidden, out));
    };
    selfNorm = register_module("self_norm", ModulatedNorm(hidden, kRmsNorm));
    selfValue = linear("self_value", hidden);
    selfOut = linear("self_out", hidden);
    crossNorm = register_module("cross_norm", ModulatedNorm(hidden, kRmsNorm));
    crossQuery = linear("cross_query", hidden);
    crossKeyValue = linear("cross_key_value", 2 * hidden);
    crossOut = linear("cross_out", hidden);
    ffnNorm = register_module("ffn_norm", ModulatedNorm(hidden, kRmsNorm));
    ffn = register_module("ffn", Mlp(MlpImpl::Widths{hidden, sizes.ffn, hidden}, MlpActivation::SwiGlu));
    modulation = linear("modulation", 9 * hidden);
}

ContextKeys DenoiserLayerImpl::keysOf(const at::Tensor& context) {
    const auto halves = crossKeyValue(context).chunk(2, -1);
    return {heads(halves[0], heads_), heads(halves[1], heads_)};
}

at::Tensor DenoiserLayerImpl::alone() {
    const std::int64_t hidden = crossOut->weight.size(0);
    return crossOut(crossKeyValue->bias.narrow(0, hidden, hidden));
}

at::Tensor DenoiserLayerImpl::look(const at::Tensor& x, const ContextKeys& keys,
                                   const at::Tensor& maybeMask) {
    const at::Tensor query = heads(crossQuery(x), heads_);
    const bool causal = !maybeMask.defined() && x.size(1) > 1;
    const at::Tensor attended =
        causal ? attendCausally(query, keys.key, keys.value) : attend(query, keys.key, keys.value, maybeMask);
    return crossOut(attended.transpose(1, 2).flatten(2));
}

at::Tensor DenoiserLayerImpl::forward(const at::Tensor& x, const at::Tensor& vectors,
                                      const ContextKeys* maybeKeys, const at::Tensor& maybeMask) {
    const ContextKeys keys = maybeKeys == nullptr ? ContextKeys{} : *maybeKeys;
    const std::vector<at::Tensor> all{x, vectors, keys.key, keys.value};
    return tensor::checkpointed(all, [=, this](const std::vector<at::Tensor>& in) {
        const auto [self, cross, mlp] = partsOf(in[1]);
        at::Tensor y = at::addcmul(in[0], self.gate, selfOut(selfValue(selfNorm(in[0], self))));
        y = at::addcmul(y, cross.gate,
                        in[2].defined() ? look(crossNorm(y, cross), {in[2], in[3]}, maybeMask) : alone());
        return at::addcmul(y, mlp.gate, ffn(ffnNorm(y, mlp)));
    });
}

at::Tensor DenoiserLayerImpl::forwardBoth(const at::Tensor& x, const at::Tensor& vectors,
                                          const ContextKeys& keys, const at::Tensor& alone) {
    const auto [self, cross, mlp] = partsOf(vectors);
    const std::int64_t rows = keys.key.size(0);
    at::Tensor y = at::addcmul(x, self.gate, selfOut(selfValue(selfNorm(x, self))));
    const at::Tensor with = y.narrow(0, 0, rows), without = y.narrow(0, y.size(0) - rows, rows);
    y = at::cat({at::addcmul(with, cross.gate, look(crossNorm(with, cross), keys, {})),
                 at::addcmul(without, cross.gate, alone)});
    return at::addcmul(y, mlp.gate, ffn(ffnNorm(y, mlp)));
}

TwoTowerNetImpl::TwoTowerNetImpl(const LcmSizes& sizes) : LcmNetImpl(sizes) {
    contextInput = register_module("context_input", Linear(sizes.width, sizes.hidden));
    context = SentenceBlocks(*this, "context", sizes);
    denoiserInput = register_module("denoiser_input", Linear(sizes.width, sizes.hidden));
    time = register_module("time",
                           TimeEmbedding(MlpImpl::Widths{sizes.timeFeatures, sizes.hidden, sizes.hidden}));
    for (std::int64_t i = 0; i < sizes.denoiserLayers; ++i)
        layers.push_back(register_module("denoiser_" + std::to_string(i), DenoiserLayer(sizes)));
    norm = register_module("denoiser_norm", ModulatedNorm(sizes.hidden, kRmsNorm));
    output = register_module("output", Linear(sizes.hidden, sizes.width));
}

at::Tensor TwoTowerNetImpl::predict(const at::Tensor& clean, const NoisySentences& noisy) {
    const std::int64_t documents = clean.size(0), sentences = clean.size(1);
    at::Tensor seen = at::zeros({documents, 1, sizes().hidden}, clean.options());
    if (sentences > 1)
        seen = at::cat({seen, context.run(contextInput(clean.narrow(1, 0, sentences - 1)))}, 1);
    const at::Tensor mask = noisy.maybeDropped.defined() ? lookMask(noisy.maybeDropped) : at::Tensor();
    // There are only T different times.
    const at::Tensor embedded = time(at::arange(sizes().steps, clean.options()));
    at::Tensor x = tensor::atLeastFloat(denoiserInput(noisy.vectors));
    for (DenoiserLayer& layer : layers) {
        const ContextKeys keys = layer->keysOf(seen);
        const at::Tensor vectors = at::embedding(layer->modulations(embedded), noisy.steps);
        x = layer(x, vectors, &keys, mask);
    }
    return output(norm(x));
}

namespace {

class TwoTowerNext final : public NextSentence {
public:
    TwoTowerNext(TwoTowerNetImpl& net, std::int64_t documents)
        : net_(net),
          cache_(net.context.newCache(documents, net.output->weight.options())),
          keys_({documents, net.sizes().denoiserLayers, net.sizes().heads,
                 net.sizes().hidden / net.sizes().heads},
                net.output->weight.options()) {
        look(at::zeros({documents, 1, net.sizes().hidden}, net.output->weight.options()));
    }

    void append(const at::Tensor& vectors) override {
        look(net_.context.extend(net_.contextInput(vectors).unsqueeze(1), cache_));
    }
    at::Tensor predict(const at::Tensor& noisy, std::int64_t step, bool withContext) override {
        const auto& modulations = modulationsAt(step);
        at::Tensor x = net_.denoiserInput(noisy).unsqueeze(1);
        for (std::size_t i = 0; i < net_.layers.size(); ++i)
            x = net_.layers[i](x, modulations[i], withContext ? &all_[i] : nullptr, at::Tensor());
        return net_.output(net_.norm(x)).squeeze(1);
    }
    std::pair<at::Tensor, at::Tensor> predictBoth(const at::Tensor& noisy, std::int64_t step) override {
        if (alone_.empty())
            for (DenoiserLayer& layer : net_.layers) alone_.push_back(layer->alone());
        const auto& modulations = modulationsAt(step);
        at::Tensor x = net_.denoiserInput(noisy).unsqueeze(1);
        for (std::size_t i = 0; i < net_.layers.size(); ++i)
            x = net_.layers[i]->forwardBoth(x, modulations[i], all_[i], alone_[i]);
        const auto both = net_.output(net_.norm(x)).squeeze(1).chunk(2);
        return {both[0], both[1]};
    }

private:
    /// Keys and values of a further state of the context, [R, 1, H].
    void look(const at::Tensor& state) {
        all_.clear();
        for (std::size_t i = 0; i < net_.layers.size(); ++i) {
            const ContextKeys added = net_.layers[i]->keysOf(state);
            const KeyValue all = keys_.append(static_cast<std::int64_t>(i), added.key, added.value);
            all_.push_back({all.key, all.value});
        }
        keys_.advance();
    }
    const std::vector<at::Tensor>& modulationsAt(std::int64_t step) {
        auto& known = modulations_[step];
        if (known.empty()) {
            const at::Tensor embedded = net_.time(at::full({}, step, net_.output->weight.options()));
            for (DenoiserLayer& layer : net_.layers) known.push_back(layer->modulations(embedded));
        }
        return known;
    }

    TwoTowerNetImpl& net_;
    DecodingCache cache_, keys_;
    std::vector<ContextKeys> all_;
    std::vector<at::Tensor> alone_;
    std::map<std::int64_t, std::vector<at::Tensor>> modulations_;
};

}  // namespace

std::unique_ptr<NextSentence> TwoTowerNetImpl::begin(std::int64_t documents) {
    return std::make_unique<TwoTowerNext>(*this, documents);
}

}  // namespace kurve::models::lcm
