#include "models/difformer/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "models/common/candidates.h"
#include "models/common/decoding.h"
#include "models/common/edited_logits.h"
#include "models/common/embedding_edits.h"
#include "models/common/padding.h"
#include "models/common/replayed_denoiser.h"
#include "models/common/schedule_checks.h"
#include "models/difformer/difformer_fields.h"

namespace kurve::models::difformer {
namespace {

constexpr std::int64_t kLengthOffset = 128;  // fairseq nonautoregressive_transformer.py

/// Settings of one generation, read once.
struct Plan {
    std::vector<schedule::ReverseStep> steps;
    std::int64_t lengthBeam = 1, noiseBeam = 1, rowsAtOnce = 128, longest = 0, latent = 0;
    double noiseFactor = 1;
    bool clamp = false, minimumBayesRisk = false, selfConditioned = true;
    std::optional<c10::Device> maybeGraphsOn;
    std::uint64_t seed = 1, firstRow = 0;
    [[nodiscard]] std::int64_t beam() const { return lengthBeam * noiseBeam; }
};

WordTable wordsOf(DifformerNetImpl& net) {
    return {net.embedding->weight, {}, [&net](const at::Tensor& rows) { return net.latentOf(rows); }};
}

class Run {
public:
    Run(DifformerNetImpl& net, const train::GenerateRequest& request, const Plan& plan,
        train::Generation& out)
        : net_(net), request_(request), plan_(plan), out_(out), words_(wordsOf(net)) {}

    /// Fills out.rows of the group's sources; false if cancelled.
    Result<bool> decode(CandidateGroup group, EstimateRecorder* maybeRecorder) {
        const auto [source, lengths] =
            padRows(request_.sources, group.sources, net_.device(), {net_.special().pad});
        const EncoderOutput encoded = net_.encode(source, lengths, {});
        const CrossAttentionCache crossCache = net_.precomputeCrossAttention(encoded, lengths);
        chooseLengths(group, encoded.lengthLogits, lengths,
                      {kLengthOffset, plan_.lengthBeam, plan_.noiseBeam, plan_.longest});
        const auto layout = net_.layout(group.lengths, group.width);
        std::optional<EmbeddingEdits> edits;
        if (!request_.edits.empty() && group.sources.front() == 0) {
            const auto row = request_.candidate.value_or(0);
            edits.emplace(
                request_.edits,
                EmbeddingEdits::Candidate{row, group.lengths[static_cast<std::size_t>(row)], layout.get()},
                words_);
            KURVE_CHECKED(edits->check());
        }
        if (maybeRecorder != nullptr)
            maybeRecorder->begin({words_, *layout, group.lengths, plan_.lengthBeam / 2 * plan_.noiseBeam});
        const std::optional<at::Tensor> estimate =
            denoise({group, crossCache, *layout, edits ? &*edits : nullptr}, maybeRecorder);
        if (!estimate) return false;
        const DecodedTokens decoded = bestTokens(logitsOf(*estimate, edits.has_value()));
        for (std::size_t r = 0; r < group.sources.size(); ++r) {
            CandidateOrder order{plan_.minimumBayesRisk};
            if (group.sources[r] == 0) order.maybeFirst = request_.candidate;
            const std::int64_t chosen =
                addCandidates(group, decoded, r, net_.special(), order, out_.rows[group.sources[r]]);
            if (maybeRecorder != nullptr && r == 0) maybeRecorder->finish(chosen);
        }
        return true;
    }

private:
    /// The data of one group's denoising.
    struct Work {
        const CandidateGroup& group;
        const CrossAttentionCache& crossCache;
        const TokenLayout& layout;
        const EmbeddingEdits* maybeEdits;
    };
    std::optional<at::Tensor> denoise(const Work& work, EstimateRecorder* maybeRecorder) {
        std::vector<double> times;
        for (const auto& step : plan_.steps) times.push_back(step.modelTime);
        const at::Tensor embeddedTimes = net_.timeEmbedding(times);
        ForwardPass pass;
        pass.decoding = true;
        if (maybeRecorder != nullptr) pass.maybeCapture = &maybeRecorder->capture();
        ReplayedDenoiser network(
            [&](const Noisy& x) { return net_.denoise(x, work.crossCache, work.layout, pass); },
            maybeRecorder == nullptr ? plan_.maybeGraphsOn : std::nullopt);

        Noisy noisy;
        noisy.words = noise(work.group, 0) * plan_.noiseFactor;
        Estimate estimate;
        for (std::size_t i = 0; i < plan_.steps.size(); ++i) {
            if (request_.cancel.requested()) return std::nullopt;
            const schedule::ReverseStep& step = plan_.steps[i];
            noisy.time = embeddedTimes.narrow(0, static_cast<std::int64_t>(i), 1);
            if (work.maybeEdits != nullptr)
                work.maybeEdits->editInput(static_cast<int>(i), freshNoise(i), estimate, noisy);
            estimate = network(noisy);
            ++out_.networkCalls;
            if (plan_.clamp) clamp(estimate);
            at::Tensor change;
            if (work.maybeEdits != nullptr)
                change = work.maybeEdits->editEstimate(static_cast<int>(i), step, estimate);
            if (maybeRecorder != nullptr) maybeRecorder->record(step, noisy.words, estimate);
            if (change.defined()) noisy.words[request_.candidate.value_or(0)].add_(change);
            if (plan_.selfConditioned) noisy.previous = estimate.selfConditioning;
            if (i + 1 == plan_.steps.size()) break;  // the last noise would never be used
            noisy.words = (estimate.words * step.c1).add_(noisy.words, step.c2);
            noisy.words.add_(noise(work.group, i + 1), step.sigma * plan_.noiseFactor);
        }
        return estimate.words;
    }

    [[nodiscard]] EmbeddingEdits::FreshNoise freshNoise(std::size_t step) const {
        return {StreamId(plan_.seed, "what_if.noise", step), plan_.noiseFactor};
    }

    /// Every word becomes its nearest embedding; self-conditioning in another space is unchanged.
    void clamp(Estimate& estimate) {
        const bool sharesWords = estimate.selfConditioning.is_same(estimate.words);
        const at::Tensor ids = at::matmul(estimate.words, net_.embedding->weight.t()).argmax(-1);
        estimate.words = net_.latentOf(net_.embedTarget(ids));
        if (sharesWords) estimate.selfConditioning = estimate.words;
    }

    at::Tensor logitsOf(const at::Tensor& estimate, bool edited) {
        at::Tensor logits = words_.logits(estimate);
        if (edited)
            applyEdits(logits[request_.candidate.value_or(0)], request_.edits,
                       static_cast<int>(plan_.steps.size()) - 1);
        return logits;
    }

    [[nodiscard]] at::Tensor noise(const CandidateGroup& group, std::uint64_t step) const {
        return noiseOf(group, {StreamId(plan_.seed, "sampler.noise", step), plan_.firstRow, plan_.latent},
                       net_.device());
    }

    DifformerNetImpl& net_;
    const train::GenerateRequest& request_;
    const Plan& plan_;
    train::Generation& out_;
    WordTable words_;
};

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
    plan.maybeGraphsOn = graphsOn(net.device(), sampler);
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
    KURVE_TRY(const Plan plan, planOf(net, process, request, sampler));
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    train::Generation out;
    Run run(net, request, plan, out);
    KURVE_CHECKED(decodeGroups(
        request, maybeTrace,
        {{plan.beam(), static_cast<int>(plan.steps.size()), process.steps()}, plan.rowsAtOnce},
        [&](CandidateGroup group, EstimateRecorder* maybeRecorder) {
            return run.decode(std::move(group), maybeRecorder);
        },
        out));
    return out;
}

}  // namespace kurve::models::difformer
