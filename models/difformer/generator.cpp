#include "models/difformer/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/check.h"
#include "core/metrics/metric.h"
#include "models/common/decoding.h"
#include "models/common/edited_logits.h"
#include "models/common/padding.h"
#include "models/difformer/difformer_fields.h"
#include "models/difformer/estimate_recorder.h"
#include "models/difformer/intervention.h"

namespace kurve::models::difformer {
namespace {

constexpr std::int64_t kLengthOffset = 128;  // fairseq nonautoregressive_transformer.py
constexpr std::int64_t kShortest = 2;        // BOS and EOS

/// Settings of one generation, read once.
struct Plan {
    std::vector<schedule::ReverseStep> steps;
    std::int64_t lengthBeam = 1, noiseBeam = 1, rowsAtOnce = 128, longest = 0, latent = 0;
    double noiseFactor = 1;
    bool clamp = false, minimumBayesRisk = false, selfConditioned = true;
    std::uint64_t seed = 1, firstRow = 0;
    [[nodiscard]] std::int64_t beam() const { return lengthBeam * noiseBeam; }
};

/// Sources decoded together, with beam() candidates each: row = source in the group * beam + candidate.
struct Group {
    std::vector<std::size_t> sources;   ///< numbers in the request
    std::vector<std::int32_t> lengths;  ///< [rows] of each candidate, in words
    std::int64_t width = 0;             ///< longest of them
};

/// Host copies of the last estimate's best tokens.
struct Decoded {
    std::vector<std::int64_t> ids;
    std::vector<float> logProbability;
};

void chooseLengths(Group& group, const at::Tensor& logits, std::span<const std::int32_t> sources,
                   const Plan& plan) {
    const at::Tensor best = logits.argmax(1).to(at::kCPU);
    const auto* classes = best.const_data_ptr<std::int64_t>();
    for (std::size_t r = 0; r < sources.size(); ++r)
        for (const std::int32_t length :
             candidateLengths(classes[r] - kLengthOffset + sources[r], plan.lengthBeam, plan.longest))
            group.lengths.insert(group.lengths.end(), static_cast<std::size_t>(plan.noiseBeam), length);
    group.width = *std::max_element(group.lengths.begin(), group.lengths.end());
}

/// Noise of one reverse step: candidate c of source s has stream row (firstRow + s) * 2^16 + c.
at::Tensor noiseOf(const Group& group, const Plan& plan, std::uint64_t step, c10::Device device) {
    const StreamId id(plan.seed, "sampler.noise", step);
    std::vector<at::Tensor> parts;
    for (const std::size_t source : group.sources)
        parts.push_back(tensor::normalRows({plan.beam(), group.width, plan.latent},
                                           {id, (plan.firstRow + static_cast<std::uint64_t>(source)) << 16},
                                           device));
    return at::cat(parts);
}

class Run {
public:
    Run(DifformerNetImpl& net, const train::GenerateRequest& request, const Plan& plan,
        train::Generation& out)
        : net_(net), request_(request), plan_(plan), out_(out) {}

    /// Fills out.rows of the group's sources; false if cancelled.
    Result<bool> decode(Group group, EstimateRecorder* maybeRecorder) {
        const auto [source, lengths] =
            padRows(request_.sources, group.sources, net_.device(), {net_.special().pad});
        const EncoderOutput encoded = net_.encode(source, lengths, {});
        const CrossAttentionCache crossCache = net_.precomputeCrossAttention(encoded, lengths);
        chooseLengths(group, encoded.lengthLogits, lengths, plan_);
        const auto layout = net_.layout(group.lengths, group.width);
        std::optional<Intervention> intervention;
        if (!request_.edits.empty() && group.sources.front() == 0) {
            const auto row = request_.candidate.value_or(0);
            intervention.emplace(
                request_.edits,
                Intervention::Candidate{row, group.lengths[static_cast<std::size_t>(row)], layout.get()},
                net_);
            KURVE_CHECKED(intervention->check());
        }
        if (maybeRecorder != nullptr)
            maybeRecorder->begin({net_, *layout, group.lengths, plan_.lengthBeam / 2 * plan_.noiseBeam});
        const std::optional<at::Tensor> estimate =
            denoise({group, crossCache, *layout, intervention ? &*intervention : nullptr}, maybeRecorder);
        if (!estimate) return false;
        const Decoded decoded = bestTokens(*estimate, intervention.has_value());
        for (std::size_t r = 0; r < group.sources.size(); ++r) {
            const std::int64_t chosen = select(group, decoded, r);
            if (maybeRecorder != nullptr && r == 0) maybeRecorder->finish(chosen);
        }
        return true;
    }

private:
    /// The data of one group's denoising.
    struct Work {
        const Group& group;
        const CrossAttentionCache& crossCache;
        const TokenLayout& layout;
        const Intervention* maybeIntervention;
    };
    std::optional<at::Tensor> denoise(const Work& work, EstimateRecorder* maybeRecorder) {
        std::vector<double> times;
        for (const auto& step : plan_.steps) times.push_back(step.modelTime);
        const at::Tensor embeddedTimes = net_.timeEmbedding(times);
        ForwardPass pass;
        pass.decoding = true;
        if (maybeRecorder != nullptr) pass.maybeCapture = &maybeRecorder->capture();

        Noisy noisy;
        noisy.words = noiseOf(work.group, plan_, 0, net_.device()) * plan_.noiseFactor;
        Estimate estimate;
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            if (request_.cancel.requested()) return std::nullopt;
            const schedule::ReverseStep& step = plan_.steps[i];
            noisy.time = embeddedTimes.narrow(0, static_cast<std::int64_t>(i), 1);
            if (work.maybeIntervention != nullptr)
                work.maybeIntervention->editInput(static_cast<int>(i), freshNoise(i), estimate, noisy);
            estimate = net_.denoise(noisy, work.crossCache, work.layout, pass);
            ++out_.networkCalls;
            if (plan_.clamp) clamp(estimate);
            at::Tensor change;
            if (work.maybeIntervention != nullptr)
                change = work.maybeIntervention->editEstimate(static_cast<int>(i), step, estimate);
            if (maybeRecorder != nullptr) maybeRecorder->record(step, noisy.words, estimate);
            if (change.defined()) noisy.words[request_.candidate.value_or(0)].add_(change);
            if (plan_.selfConditioned) noisy.previous = estimate.selfConditioning;
            if (i + 1 == plan_.steps.size()) break;  // the last noise would never be used
            noisy.words = (estimate.words * step.c1).add_(noisy.words, step.c2);
            noisy.words.add_(noiseOf(work.group, plan_, i + 1, net_.device()),
                             step.sigma * plan_.noiseFactor);
        }
        return estimate.words;
    }

    [[nodiscard]] Intervention::FreshNoise freshNoise(std::size_t step) const {
        return {StreamId(plan_.seed, "what_if.noise", step), plan_.noiseFactor};
    }

    /// Every word becomes its nearest embedding; self-conditioning in another space is unchanged.
    void clamp(Estimate& estimate) {
        const bool sharesWords = estimate.selfConditioning.is_same(estimate.words);
        const at::Tensor ids = at::matmul(estimate.words, net_.embedding->weight.t()).argmax(-1);
        estimate.words = net_.latentOf(net_.embedTarget(ids));
        if (sharesWords) estimate.selfConditioning = estimate.words;
    }

    Decoded bestTokens(const at::Tensor& estimate, bool edited) {
        const at::Tensor logits = at::matmul(estimate, net_.embedding->weight.t());
        if (edited)
            applyEdits(logits[request_.candidate.value_or(0)], request_.edits,
                       static_cast<int>(plan_.steps.size()) - 1);
        const auto [best, ids] = logits.max(-1);
        const at::Tensor logP = (best - at::logsumexp(logits, -1)).to(at::kCPU).contiguous();
        const at::Tensor hostIds = ids.to(at::kCPU).contiguous();
        const auto* i = hostIds.const_data_ptr<std::int64_t>();
        const auto* p = logP.const_data_ptr<float>();
        return {{i, i + hostIds.numel()}, {p, p + logP.numel()}};
    }

    /// Scores the candidates of source r of the group; returns the row of the best.
    std::int64_t select(const Group& group, const Decoded& decoded, std::size_t r) {
        const auto beam = static_cast<std::size_t>(plan_.beam()),
                   width = static_cast<std::size_t>(group.width);
        std::vector<train::Candidate> candidates(beam);
        std::vector<std::vector<std::int32_t>> ids(beam);
        for (std::size_t c = 0; c < beam; ++c) {
            const std::size_t row = r * beam + c;
            const auto length = static_cast<std::size_t>(group.lengths[row]);
            candidates[c].number = static_cast<std::int64_t>(c);
            for (std::size_t i = 0; i < length; ++i) {
                const auto id = static_cast<std::int32_t>(decoded.ids[row * width + i]);
                if (!net_.special().isFrame(id)) candidates[c].ids.push_back(id);
                candidates[c].score += decoded.logProbability[row * width + i] / static_cast<double>(length);
            }
            ids[c] = candidates[c].ids;
        }
        if (plan_.minimumBayesRisk && beam > 1) {
            const std::vector<double> scores = metrics::mbrScores(ids);
            for (std::size_t c = 0; c < beam; ++c) candidates[c].score = scores[c];
        }
        const bool hasRequested = group.sources[r] == 0 && request_.candidate.has_value();
        const std::vector<std::size_t> order =
            bestFirst(candidates, hasRequested ? request_.candidate : std::nullopt);
        train::GeneratedRow& out = out_.rows[group.sources[r]];
        for (const std::size_t c : order) out.candidates.push_back(std::move(candidates[c]));
        out.best = out.candidates.front();
        return static_cast<std::int64_t>(r * beam + order.front());
    }

    DifformerNetImpl& net_;
    const train::GenerateRequest& request_;
    const Plan& plan_;
    train::Generation& out_;
};

// Activations of few rows stay in a core's cache and need little padding; a GPU wants many.
std::int64_t rowsAtOnce(const RunConfig& sampler, c10::Device device) {
    constexpr std::int64_t kCpuRows = 8;
    const std::int64_t rows = sampler.integer("sampler.batch_size");
    return device.is_cpu() ? std::min(rows, kCpuRows) : rows;
}

/// The sampler's noise levels, where they are not those of training.
Result<diffusion::GaussianProcess::Sampling> samplingOf(const RunConfig& sampler) {
    diffusion::GaussianProcess::Sampling sampling;
    const std::string &spacing = sampler.text("sampler.spacing"), &id = sampler.text("sampler.schedule");
    sampling.spacing = spacing == "log-snr" ? schedule::Spacing::LogSnr
                       : spacing == "rho7"  ? schedule::Spacing::Rho7
                                            : schedule::Spacing::Time;
    if (id == kTrained) return sampling;
    KURVE_CHECKED(checkSchedule(sampler, "sampler.schedule"));
    KURVE_TRY(sampling.schedule,
              schedule::makeSchedule(id, {{"steps", std::to_string(sampler.integer("diffusion.steps"))}}));
    return sampling;
}

Result<Plan> planOf(DifformerNetImpl& net, const diffusion::GaussianProcess& process,
                    const train::GenerateRequest& request, const RunConfig& sampler) {
    Plan plan;
    const std::int64_t steps = sampler.integer("sampler.steps"),
                       skipLast = sampler.integer("sampler.skip_last_steps");
    if (steps > process.steps())
        return requestError("sample.steps",
                            fmt::format("{} reverse steps, but the process has {}", steps, process.steps()))
            .at("sampler.steps");
    if (skipLast >= steps)
        return requestError("sample.skip_last_steps",
                            fmt::format("skips {} of {} steps: none remains", skipLast, steps))
            .at("sampler.skip_last_steps");
    KURVE_TRY(const auto sampling, samplingOf(sampler));
    plan.steps = process.reverseSteps(static_cast<int>(steps), static_cast<int>(skipLast), sampling);
    plan.lengthBeam = sampler.integer("sampler.length_beam");
    plan.noiseBeam = sampler.integer("sampler.noise_beam");
    plan.rowsAtOnce = rowsAtOnce(sampler, net.device());
    plan.noiseFactor = sampler.real("sampler.noise_factor");
    plan.clamp = sampler.flag("sampler.clamp");
    plan.minimumBayesRisk = sampler.text("sampler.selection") == kMbrTokens;
    plan.selfConditioned = sampler.real("diffusion.self_conditioning") > 0;
    plan.seed = request.seed;
    plan.firstRow = request.firstRow;
    plan.longest = net.encoder.positions->weight.size(0) - kFirstPositionRow;
    plan.latent = net.embedding->weight.size(1);
    KURVE_CHECKED(checkSources(request, plan.longest));
    return plan;
}

}  // namespace

std::int64_t lengthClass(std::int64_t target, std::int64_t source) {
    return std::clamp<std::int64_t>(target - source + kLengthOffset, 0, 2 * kLengthOffset - 1);
}

std::vector<std::int32_t> candidateLengths(std::int64_t predicted, std::int64_t beam, std::int64_t longest) {
    std::vector<std::int32_t> lengths;
    for (std::int64_t i = 0; i < beam; ++i)
        lengths.push_back(
            static_cast<std::int32_t>(std::clamp(predicted + i - beam / 2, kShortest, longest)));
    return lengths;
}

void dryRun(DifformerNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler,
            c10::Device device) {
    const std::int64_t beam = sampler.integer("sampler.length_beam") * sampler.integer("sampler.noise_beam"),
                       sources =
                           std::clamp<std::int64_t>(rowsAtOnce(sampler, device) / beam, 1, longest.rows);
    const std::span lengths = std::span(longest.sourceLengths).first(static_cast<std::size_t>(sources));
    const EncoderOutput encoded = net.encode(longest.source.narrow(0, 0, sources), lengths, {});
    const CrossAttentionCache crossCache = net.precomputeCrossAttention(encoded, lengths);
    const std::vector<std::int32_t> words(static_cast<std::size_t>(sources * beam),
                                          static_cast<std::int32_t>(longest.targetLength));
    const auto layout = net.layout(words, longest.targetLength);
    ForwardPass pass;
    pass.decoding = true;
    Noisy noisy;
    noisy.words = at::empty({sources * beam, longest.targetLength, net.embedding->weight.size(1)},
                            encoded.states.options());
    noisy.time = net.timeEmbedding(std::vector<double>{0});
    noisy.previous = net.denoise(noisy, crossCache, *layout, pass).selfConditioning;
    const Estimate estimate = net.denoise(noisy, crossCache, *layout, pass);
    const at::Tensor logits = at::matmul(estimate.words, net.embedding->weight.t());
    (void)at::logsumexp(logits, -1);
}

Result<train::Generation> generateWith(DifformerNetImpl& net, const diffusion::GaussianProcess& process,
                                       const train::GenerateRequest& request, const RunConfig& sampler,
                                       trace::TraceSink* maybeTrace) {
    KURVE_CHECK(request.edits.empty() || maybeTrace != nullptr, "edits without a trace");
    KURVE_TRY(const Plan plan, planOf(net, process, request, sampler));
    if (request.candidate && (*request.candidate < 0 || *request.candidate >= plan.beam()))
        return requestError("branch.candidate",
                            fmt::format("no candidate {} of {}", *request.candidate, plan.beam()))
            .at("candidate")
            .fix("record the trace again");
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    train::Generation out;
    out.rows.resize(request.sources.size());
    Run run(net, request, plan, out);
    std::optional<EstimateRecorder> recorder;
    if (maybeTrace != nullptr)
        recorder.emplace(
            request, *maybeTrace,
            EstimateRecorder::Setup{plan.beam(), static_cast<int>(plan.steps.size()), process.steps()});
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(1, plan.rowsAtOnce / plan.beam()));
    for (auto& sources : groupsByLength(request.sources, size)) {
        KURVE_TRY(const bool done, run.decode({std::move(sources), {}}, recorder ? &*recorder : nullptr));
        out.cancelled = !done;
        if (out.cancelled) break;
        recorder.reset();
    }
    return out;
}

}  // namespace kurve::models::difformer
