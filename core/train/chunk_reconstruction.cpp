#include "core/train/chunk_reconstruction.h"

#include <ATen/ATen.h>
#include <fmt/format.h>

#include "core/base/text.h"
#include "core/train/chunk_autoencoder.h"

namespace kurve::train {
namespace {

using nlohmann::json;

std::vector<std::int32_t> idsOf(const at::Tensor& row) {
    const at::Tensor host = row.to(at::kInt).contiguous();
    return {host.const_data_ptr<std::int32_t>(), host.const_data_ptr<std::int32_t>() + host.numel()};
}

std::vector<float> numbersOf(const at::Tensor& row) {
    const at::Tensor host = row.contiguous();
    return {host.const_data_ptr<float>(), host.const_data_ptr<float>() + host.numel()};
}

std::vector<std::string> shownTokens(const text::Tokenizer& tokenizer, std::span<const std::int32_t> ids) {
    std::vector<std::string> tokens;
    for (const std::int32_t id : ids) tokens.push_back(text::shownToken(tokenizer, id));
    return tokens;
}

/// Errors: sample.no_input, sample.too_long.
Result<std::vector<std::int32_t>> encoded(const std::string& input, const text::Tokenizer& tokenizer,
                                          const RunConfig& config) {
    if (trim(input).empty())
        return requestError("sample.no_input", "the text is empty").at("input").fix("type a text");
    std::vector<std::int32_t> ids = encodeWithSpecials(tokenizer, input);
    const std::int64_t most = config.integer("data.max_length");
    if (static_cast<std::int64_t>(ids.size()) <= most) return ids;
    return requestError("sample.too_long",
                        fmt::format("the text has {} tokens, the run's longest {}", ids.size(), most))
        .at("input")
        .fix("shorten it");
}

json chunkJson(const EncodedChunks& chunks, std::int64_t at, const std::vector<std::int32_t>& ids,
               const std::vector<std::int32_t>& decoded, const text::Tokenizer& tokenizer) {
    return {{"ids", ids},
            {"tokens", shownTokens(tokenizer, ids)},
            {"decoded_ids", decoded},
            {"decoded_tokens", shownTokens(tokenizer, decoded)},
            {"mean", numbersOf(chunks.mean[at])},
            {"latent", numbersOf(chunks.latent[at])},
            {"sigma", chunks.sigma[at].mean().item<double>()}};
}

json textJson(const std::string& input, const EncodedChunks& chunks, const at::Tensor& decoded,
              const text::Tokenizer& tokenizer) {
    const at::Tensor real = chunks.ids.ne(tokenizer.special().pad), right = decoded.eq(chunks.ids) & real;
    json all = json::array();
    for (std::int64_t at = 0; at < chunks.ids.size(0); ++at)
        all.push_back(chunkJson(chunks, at, idsOf(chunks.ids[at]), idsOf(decoded[at]), tokenizer));
    return {{"input", input},
            {"output", tokenizer.decode(idsOf(decoded.masked_select(real)))},
            {"tokens", real.sum().item<std::int64_t>()},
            {"right", right.sum().item<std::int64_t>()},
            {"chunks", std::move(all)}};
}

/// Errors: reconstruct.chunk.
Result<json> betweenJson(const EncodedChunks& chunks, std::pair<std::size_t, std::size_t> ends,
                         ChunkAutoencoder& autoencoder, const text::Tokenizer& tokenizer) {
    const auto count = static_cast<std::size_t>(chunks.latent.size(0));
    if (std::max(ends.first, ends.second) >= count)
        return requestError("reconstruct.chunk", fmt::format("the text has the chunks 0 to {}", count - 1))
            .at("between")
            .fix("choose two of them");
    const at::Tensor t = at::linspace(0, 1, kInterpolationSteps).unsqueeze(1);
    const at::Tensor decoded =
        autoencoder.decodeChunks((1 - t) * chunks.latent[static_cast<std::int64_t>(ends.first)] +
                                 t * chunks.latent[static_cast<std::int64_t>(ends.second)]);
    json all = json::array();
    for (int step = 0; step < kInterpolationSteps; ++step) {
        const std::vector<std::int32_t> ids = idsOf(decoded[step]);
        all.push_back({{"t", t[step].item<double>()},
                       {"text", tokenizer.decode(ids)},
                       {"tokens", shownTokens(tokenizer, ids)}});
    }
    return all;
}

}  // namespace

Result<json> reconstructionJson(const TextModel& text, const ReconstructionRequest& request,
                                const RunConfig& sampler) {
    ChunkAutoencoder* autoencoder = text.model.chunkAutoencoder();
    if (autoencoder == nullptr)
        return requestError(
                   "reconstruct.unsupported",
                   fmt::format("a model of the family {} has no autoencoder of chunks", sampler.family()))
            .fix("use a run of an autoencoder of chunks");
    const text::Tokenizer& tokenizer = *text.tokenizers.source;
    json made{{"texts", json::array()}};
    for (std::size_t row = 0; row < request.texts.size(); ++row) {
        if (request.cancel.requested()) return requestError("cancelled", "the request was cancelled");
        KURVE_TRY(const auto ids, encoded(request.texts[row], tokenizer, sampler));
        const EncodedChunks chunks = autoencoder->encodeChunks(ids, sampler, request.seed, row);
        made["texts"].push_back(
            textJson(request.texts[row], chunks, autoencoder->decodeChunks(chunks.latent), tokenizer));
        if (row > 0 || !request.between) continue;
        KURVE_TRY(made["between"], betweenJson(chunks, *request.between, *autoencoder, tokenizer));
    }
    return made;
}

}  // namespace kurve::train
