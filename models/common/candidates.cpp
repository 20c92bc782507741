#include "models/common/candidates.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/metrics/metric.h"
#include "models/common/decoding.h"

namespace kurve::models {
namespace {

constexpr std::int64_t kShortest = 2;  // BOS and EOS

}  // namespace

std::vector<std::int32_t> candidateLengths(std::int64_t predicted, std::int64_t beam, std::int64_t longest) {
    std::vector<std::int32_t> lengths;
    for (std::int64_t i = 0; i < beam; ++i)
        lengths.push_back(
            static_cast<std::int32_t>(std::clamp(predicted + i - beam / 2, kShortest, longest)));
    return lengths;
}

void chooseLengths(CandidateGroup& group, const at::Tensor& logits,
                   std::span<const std::int32_t> sourceLengths, const LengthChoice& choice) {
    const at::Tensor best = logits.argmax(1).to(at::kCPU);
    const auto* classes = best.const_data_ptr<std::int64_t>();
    for (std::size_t r = 0; r < sourceLengths.size(); ++r)
        for (const std::int32_t length : candidateLengths(classes[r] - choice.offset + sourceLengths[r],
                                                          choice.lengthBeam, choice.longest))
            group.lengths.insert(group.lengths.end(), static_cast<std::size_t>(choice.noiseBeam), length);
    group.width = *std::max_element(group.lengths.begin(), group.lengths.end());
}

at::Tensor noiseOf(const CandidateGroup& group, const CandidateNoise& noise, c10::Device device) {
    const auto beam = static_cast<std::int64_t>(group.lengths.size() / group.sources.size());
    std::vector<at::Tensor> parts;
    for (const std::size_t source : group.sources)
        parts.push_back(tensor::normalRows(
            {beam, group.width, noise.latent},
            {noise.stream, (noise.firstRow + static_cast<std::uint64_t>(source)) << 16}, device));
    return at::cat(parts);
}

DecodedTokens bestTokens(const at::Tensor& logits) {
    const auto [best, ids] = logits.max(-1);
    const at::Tensor logP = (best - at::logsumexp(logits, -1)).to(at::kCPU).contiguous();
    const at::Tensor hostIds = ids.to(at::kCPU).contiguous();
    const auto* i = hostIds.const_data_ptr<std::int64_t>();
    const auto* p = logP.const_data_ptr<float>();
    return {{i, i + hostIds.numel()}, {p, p + logP.numel()}};
}

std::int64_t addCandidates(const CandidateGroup& group, const DecodedTokens& decoded, std::size_t r,
                           const text::SpecialIds& special, const CandidateOrder& order,
                           train::GeneratedRow& out) {
    const std::size_t beam = group.lengths.size() / group.sources.size();
    const auto width = static_cast<std::size_t>(group.width);
    std::vector<train::Candidate> candidates(beam);
    std::vector<std::vector<std::int32_t>> ids(beam);
    for (std::size_t c = 0; c < beam; ++c) {
        const std::size_t row = r * beam + c;
        const auto length = static_cast<std::size_t>(group.lengths[row]);
        candidates[c].number = static_cast<std::int64_t>(c);
        for (std::size_t i = 0; i < length; ++i) {
            const auto id = static_cast<std::int32_t>(decoded.ids[row * width + i]);
            if (!special.isFrame(id)) candidates[c].ids.push_back(id);
            candidates[c].score += decoded.logProbability[row * width + i] / static_cast<double>(length);
        }
        ids[c] = candidates[c].ids;
    }
    if (order.minimumBayesRisk && beam > 1) {
        const std::vector<double> scores = metrics::mbrScores(ids);
        for (std::size_t c = 0; c < beam; ++c) candidates[c].score = scores[c];
    }
    const std::vector<std::size_t> best = bestFirst(candidates, order.maybeFirst);
    for (const std::size_t c : best) out.candidates.push_back(std::move(candidates[c]));
    out.best = out.candidates.front();
    return static_cast<std::int64_t>(r * beam + best.front());
}

Status decodeGroups(
    const train::GenerateRequest& request, trace::TraceSink* maybeTrace, const GroupedDecoding& how,
    const std::function<Result<bool>(CandidateGroup group, EstimateRecorder* maybeRecorder)>& decode,
    train::Generation& out) {
    KURVE_CHECK(request.edits.empty() || maybeTrace != nullptr, "edits without a trace");
    const std::int64_t beam = how.recorded.rows;
    if (request.candidate && (*request.candidate < 0 || *request.candidate >= beam))
        return requestError("branch.candidate",
                            fmt::format("no candidate {} of {}", *request.candidate, beam))
            .at("candidate")
            .fix("record the trace again");
    out.rows.resize(request.sources.size());
    std::optional<EstimateRecorder> recorder;
    if (maybeTrace != nullptr) recorder.emplace(request, *maybeTrace, how.recorded);
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(1, how.rowsAtOnce / beam));
    for (auto& sources : groupsByLength(request.sources, size)) {
        KURVE_TRY(const bool done, decode({std::move(sources), {}}, recorder ? &*recorder : nullptr));
        out.cancelled = !done;
        if (out.cancelled) break;
        recorder.reset();
    }
    return {};
}

std::int64_t rowsAtOnce(const RunConfig& sampler, c10::Device device) {
    constexpr std::int64_t kCpuRows = 8;
    const std::int64_t rows = sampler.integer("sampler.batch_size");
    return device.is_cpu() ? std::min(rows, kCpuRows) : rows;
}

}  // namespace kurve::models
