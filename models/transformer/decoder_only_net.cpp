#include "models/transformer/decoder_only_net.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/base/check.h"
#include "models/common/encoder.h"
#include "models/common/padding.h"

namespace kurve::models::transformer {
namespace {

PreNormSizes blockSizes(const DecoderOnlySizes& sizes) {
    return {.hidden = sizes.hidden,
            .heads = sizes.heads,
            .ffn = sizes.ffn,
            .direction = AttentionDirection::Causal};
}

std::int64_t headWidth(const DecoderOnlySizes& sizes) {
    KURVE_CHECK(sizes.layers > 0 && sizes.heads > 0, "{} layers, {} heads", sizes.layers, sizes.heads);
    return sizes.hidden / sizes.heads;
}

class PrefixDecoder final : public IncrementalDecoder {
public:
    PrefixDecoder(DecoderOnlyNetImpl& net, const TextGroup& group)
        : IncrementalDecoder(net.newCache(static_cast<std::int64_t>(group.known.size()))), net_(net) {
        std::vector<std::int64_t> ids;
        const std::size_t width = group.known.front().size();
        for (const auto& known : group.known) {
            KURVE_CHECK(known.size() == width, "prefixes of {} and {} tokens", width, known.size());
            ids.insert(ids.end(), known.begin(), known.end() - 1);
        }
        if (ids.empty()) return;
        (void)net.extend(toDevice(std::span<const std::int64_t>(ids), net.device())
                             .view({static_cast<std::int64_t>(group.known.size()), -1}),
                         cache_);
    }
    at::Tensor extend(const at::Tensor& tokens) override {
        return net_.logits(net_.extend(tokens.unsqueeze(1), cache_).squeeze(1));
    }

private:
    DecoderOnlyNetImpl& net_;
};

/// Errors: prompt.unsupported, sample.too_long.
Status checkPrefix(const text::TextTemplate& known, const DecoderOnlySizes& sizes) {
    const std::int64_t longest = sizes.maxPositions;
    KURVE_CHECK(!known.ids.empty() && known.ids.front() == sizes.special.bos, "a text without BOS");
    const bool blanks = std::find(known.ids.begin(), known.ids.end(), sizes.special.mask) != known.ids.end();
    if (!known.open || blanks)
        return requestError("prompt.unsupported",
                            "an autoregressive model goes on after a text, it fills in no blanks")
            .at("prompt")
            .fix("give a text without blanks");
    if (static_cast<std::int64_t>(known.ids.size()) + 2 > longest)
        return requestError("sample.too_long",
                            fmt::format("the prefix has {} tokens, the model writes texts of at most {}",
                                        known.ids.size(), longest))
            .at("prompt")
            .fix("shorten the prompt");
    return {};
}

}  // namespace

DecoderOnlyNetImpl::DecoderOnlyNetImpl(const DecoderOnlySizes& sizes)
    : AutoregressiveNet(sizes.special),
      embedding(register_module("embedding", zeroTable(sizes.vocabulary, sizes.hidden))),
      norm(register_module("norm", ModulatedNorm(sizes.hidden))),
      sizes_(sizes),
      rotary_(headWidth(sizes)) {
    for (std::int64_t i = 0; i < sizes.layers; ++i)
        blocks.push_back(register_module("block_" + std::to_string(i), PreNormBlock(blockSizes(sizes))));
}

BlockContext DecoderOnlyNetImpl::context(std::int64_t firstPosition, std::int64_t count) {
    KURVE_CHECK(firstPosition + count <= sizes_.maxPositions, "positions {}..{} of {}", firstPosition,
                firstPosition + count, sizes_.maxPositions);
    // Always the whole table, which is then made once.
    const RotaryTable all = rotary_.table({sizes_.maxPositions}, embedding->weight);
    return {{}, {}, {all.cosine.narrow(0, firstPosition, count), all.sine.narrow(0, firstPosition, count)}};
}

at::Tensor DecoderOnlyNetImpl::read(const at::Tensor& ids, std::span<const std::int32_t> lengths,
                                    const ForwardPass& pass) {
    const BlockContext shared = context(0, ids.size(1));
    const at::Tensor padding =
        pass.maybeActivations == nullptr ? at::Tensor() : attentionMask(lengths, ids.size(1), device());
    at::Tensor x = at::embedding(embedding->weight, ids);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const std::string number = std::to_string(i);
        x = blocks[i](x, shared, pass, "block." + number);
        if (pass.maybeCapture != nullptr && pass.maybeCapture->hidden)
            pass.maybeCapture->tensors["hidden/" + number] = x.detach();
        pass.keep("block_" + number, x, padding);
    }
    return norm(x);
}

at::Tensor DecoderOnlyNetImpl::extend(const at::Tensor& ids, DecodingCache& cache) {
    const BlockContext shared = context(cache.length(), ids.size(1));
    at::Tensor x = at::embedding(embedding->weight, ids);
    for (std::size_t i = 0; i < blocks.size(); ++i)
        x = blocks[i]->extend(x, shared, {cache, static_cast<std::int64_t>(i)});
    cache.advance(ids.size(1));
    return norm(x);
}

DecodingCache DecoderOnlyNetImpl::newCache(std::int64_t rows) const {
    return DecodingCache({rows, sizes_.layers, sizes_.heads, headWidth(sizes_)}, embedding->weight.options());
}

at::Tensor DecoderOnlyNetImpl::states(const TeacherForced& batch, const ForwardPass& pass) {
    return read(batch.target.narrow(1, 0, batch.target.size(1) - 1), batch.targetLengths, pass);
}

std::unique_ptr<IncrementalDecoder> DecoderOnlyNetImpl::begin(const TextGroup& group) {
    return std::make_unique<PrefixDecoder>(*this, group);
}

Status DecoderOnlyNetImpl::check(const train::GenerateRequest& request) const {
    for (const text::TextTemplate& known : request.templates) KURVE_CHECKED(checkPrefix(known, sizes_));
    return {};
}

Initializer decoderOnlyInitializer(const DecoderOnlySizes& sizes, const std::string& name,
                                   const at::Tensor& parameter) {
    if (name == "embedding.weight") return linearDefault(sizes.hidden);
    return preNormInitializer(blockSizes(sizes), name, parameter);
}

}  // namespace kurve::models::transformer
