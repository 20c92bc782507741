#include "models/calm_autoencoder/reconstruction.h"

#include <torch/torch.h>

#include <cmath>
#include <limits>

#include "core/tensor/random.h"
#include "models/common/chunk_frame.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/common/text_chunks.h"
#include "models/common/trace_recorder.h"

namespace kurve::models::calm_autoencoder {
namespace {

TextChunks chunksOfText(const AutoencoderNetImpl& net, std::span<const std::int32_t> text) {
    const std::vector<std::int64_t> ids(text.begin(), text.end());
    const std::vector<std::int32_t> lengths{static_cast<std::int32_t>(ids.size())};
    return chunksOf(toDevice(std::span<const std::int64_t>(ids), net.device()).unsqueeze(0), lengths,
                    net.sizes().chunk, net.sizes().special);
}

/// Vectors [C, l] of text `row`.
at::Tensor latentOf(const AutoencoderNetImpl& net, const Posterior& posterior, const RunConfig& sampler,
                    std::uint64_t seed, std::uint64_t row) {
    at::Tensor deviation = at::full_like(posterior.mean, sampler.real("sampler.noise"));
    if (sampler.text("sampler.latent") == "sampled")
        deviation = (deviation.square() + (2 * posterior.logStd).exp()).sqrt();
    const at::Tensor noise =
        tensor::normalRows({1, posterior.mean.size(0), posterior.mean.size(1)},
                           {StreamId(seed, "autoencoder.sample", 0), row}, net.device())[0];
    return posterior.mean + deviation * noise;
}

/// The likeliest tokens of log p [n, V], without <s>, </s> and <pad>.
train::Candidate written(const at::Tensor& logP, const text::SpecialIds& special) {
    const at::Tensor best = logP.argmax(-1).to(at::kCPU);
    train::Candidate out;
    for (std::int64_t i = 0; i < best.numel(); ++i) {
        const auto id = static_cast<std::int32_t>(best.const_data_ptr<std::int64_t>()[i]);
        if (!special.isFrame(id)) out.ids.push_back(id);
    }
    out.score = logP.amax(-1).mean().item<double>();
    return out;
}

}  // namespace

Result<train::Generation> reconstruct(AutoencoderNetImpl& net, const train::GenerateRequest& request,
                                      const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    const AutoencoderSizes& sizes = net.sizes();
    train::Generation out;
    out.rows.resize(request.sources.size());
    for (std::size_t i = 0; i < request.sources.size(); ++i) {
        if ((out.cancelled = request.cancel.requested())) return out;
        const TextChunks chunks = chunksOfText(net, request.sources[i]);
        const at::Tensor z =
            latentOf(net, net.encode(chunks.ids[0]), sampler, request.seed, request.firstRow + i);
        const at::Tensor logP =
            at::log_softmax(at::matmul(net.decode(z).flatten(0, 1), net.outputTable().t()), -1)
                .narrow(0, 0, chunks.tokens[0]);
        out.rows[i].best = written(logP, sizes.special);
        out.rows[i].candidates = {out.rows[i].best};
        ++out.networkCalls;
        if (i > 0 || maybeTrace == nullptr) continue;
        TraceRecorder recorder(request, *maybeTrace);
        recorder.begin(1);
        recorder.addLayer("latent", z);
        addChunkTokens(recorder.frame(), logP, sizes.chunk);
        recorder.endFrame(static_cast<int>(z.size(0)), {0, std::numeric_limits<double>::quiet_NaN()});
    }
    return out;
}

train::EncodedChunks encodeText(AutoencoderNetImpl& net, const std::vector<std::int32_t>& ids,
                                const RunConfig& sampler, std::uint64_t seed, std::uint64_t row) {
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    const at::Tensor chunks = chunksOfText(net, ids).ids[0];
    const Posterior posterior = net.encode(chunks);
    const at::Tensor z = latentOf(net, posterior, sampler, seed, row);
    return {chunks.cpu(), posterior.mean.cpu(), posterior.logStd.exp().cpu(), z.cpu()};
}

at::Tensor decodeLatents(AutoencoderNetImpl& net, const at::Tensor& latents) {
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    return net.tokensOf(latents.to(net.device())).cpu();
}

}  // namespace kurve::models::calm_autoencoder
