#include "models/concept/reconstruction.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <limits>
#include <numeric>

#include "core/tensor/random.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/common/trace_recorder.h"

namespace kurve::models::sentence_concept {
namespace {

/// Errors: sampler.books.
Result<at::Tensor> quantizedBy(const Codebooks* maybeCodebooks, const RunConfig& sampler,
                               const at::Tensor& vectors) {
    const std::int64_t books = sampler.integer("sampler.books"),
                       most = maybeCodebooks == nullptr ? 0 : maybeCodebooks->books();
    if (books > most)
        return requestError("sampler.books", fmt::format("{} codebooks of {}", books, most))
            .at("sampler.books")
            .fix(most == 0 ? std::string("0: the model has none (concept.codebooks)")
                           : fmt::format("take at most {}", most));
    return books == 0 ? vectors : maybeCodebooks->quantized(vectors, books);
}

}  // namespace

Result<train::Generation> reconstruct(const ReconstructionParts& parts, const train::GenerateRequest& request,
                                      const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    const torch::NoGradGuard noGrad;
    ConceptNetImpl& net = parts.net;
    const Evaluating evaluating(net);
    const ConceptSizes& sizes = net.sizes();
    KURVE_CHECKED(checkSources(request, sizes.maxTokens + 1));
    std::vector<std::size_t> all(request.sources.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const PaddedRows rows = padRows(request.sources, all, net.device(), {sizes.special.pad, 1});
    const at::Tensor noise =
        tensor::normalRows({static_cast<std::int64_t>(all.size()), sizes.width},
                           {StreamId(request.seed, "concept.sample", 0), request.firstRow}, net.device());
    KURVE_TRY(const at::Tensor read,
              quantizedBy(parts.maybeCodebooks, sampler, net.encode({rows.ids, rows.lengths})));
    const at::Tensor vectors = read + sampler.real("sampler.noise") * noise;
    ConceptNetImpl::Written written = net.write(vectors);
    train::Generation out;
    out.networkCalls = 1;
    out.cancelled = request.cancel.requested();
    for (std::size_t i = 0; i < all.size(); ++i) {
        train::GeneratedRow row;
        row.best.ids = std::move(written.ids[i]);
        row.best.score = written.score[i];
        row.candidates = {row.best};
        out.rows.push_back(std::move(row));
    }
    if (maybeTrace == nullptr || out.rows.empty()) return out;
    const auto& ids = out.rows.front().best.ids;
    const std::vector<std::int64_t> shown(ids.begin(), ids.end());
    TraceRecorder recorder(request, *maybeTrace);
    recorder.begin(1);
    const at::Tensor tokens = toDevice(std::span<const std::int64_t>(shown), net.device()).unsqueeze(0);
    if (!shown.empty())
        addDistributions(
            recorder.frame(),
            at::log_softmax(at::matmul(net.decode(vectors.narrow(0, 0, 1), tokens)[0], net.outputTable().t()),
                            -1));
    recorder.endFrame(static_cast<int>(shown.size()), {0, std::numeric_limits<double>::quiet_NaN()});
    return out;
}

}  // namespace kurve::models::sentence_concept
