#include "models/diffusia/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "models/common/candidates.h"
#include "models/common/decoding.h"
#include "models/common/edited_logits.h"
#include "models/common/embedding_edits.h"
#include "models/common/padding.h"
#include "models/common/replayed_denoiser.h"
#include "models/diffusia/diffusia_fields.h"

namespace kurve::models::diffusia {
namespace {

/// Settings of one generation, read once.
struct Plan {
    std::vector<schedule::ReverseStep> steps;
    diffusion::SolverSettings solver;
    std::int64_t lengthBeam = 1, noiseBeam = 1, rowsAtOnce = 128;
    bool clamp = false, feedsClamped = false, minimumBayesRisk = false;
    std::optional<c10::Device> maybeGraphsOn;
    std::uint64_t seed = 1, firstRow = 0;
    [[nodiscard]] std::int64_t beam() const { return lengthBeam * noiseBeam; }
};

class Run {
public:
    Run(DiffusiaNetImpl& net, const train::GenerateRequest& request, const Plan& plan, train::Generation& out)
        : net_(net),
          request_(request),
          plan_(plan),
          out_(out),
          words_{net.targetEmbedding->weight, net.roundingBias} {}

    /// Fills out.rows of the group's sources; false if cancelled.
    Result<bool> decode(CandidateGroup group, EstimateRecorder* maybeRecorder) {
        const NetSizes& sizes = net_.sizes();
        const auto [source, lengths] =
            padRows(request_.sources, group.sources, net_.device(), {sizes.special.pad});
        const Condition encoded = net_.encode(source, lengths, {});
        setLengths(group, encoded, lengths);
        const TokenLayout layout(std::span<const std::int32_t>(group.lengths), group.width, net_.device());
        std::optional<EmbeddingEdits> edits;
        if (!request_.edits.empty() && group.sources.front() == 0) {
            const std::int64_t row = editedRow();
            edits.emplace(
                request_.edits,
                EmbeddingEdits::Candidate{row, group.lengths[static_cast<std::size_t>(row)], &layout},
                words_);
            KURVE_CHECKED(edits->check());
        }
        if (maybeRecorder != nullptr)
            maybeRecorder->begin({words_, layout, group.lengths, plan_.lengthBeam / 2 * plan_.noiseBeam,
                                  lengths.front(), maybeEnd()});
        const std::optional<at::Tensor> estimate = denoise(
            {group, net_.repeated(encoded, plan_.beam()), layout, edits ? &*edits : nullptr}, maybeRecorder);
        if (!estimate) return false;
        const DecodedTokens decoded = bestTokens(logitsOf(*estimate, edits.has_value()));
        const CandidateGroup texts = untilEnd(group, decoded);
        for (std::size_t r = 0; r < group.sources.size(); ++r) {
            CandidateOrder order{plan_.minimumBayesRisk};
            if (group.sources[r] == 0) order.maybeFirst = request_.candidate;
            const std::int64_t chosen =
                addCandidates(texts, decoded, r, sizes.special, order, out_.rows[group.sources[r]]);
            if (maybeRecorder != nullptr && r == 0) maybeRecorder->finish(chosen);
        }
        return true;
    }

private:
    /// The data of one group's denoising.
    struct Work {
        const CandidateGroup& group;
        const Condition condition;
        const TokenLayout& layout;
        const EmbeddingEdits* maybeEdits;
    };

    [[nodiscard]] std::int64_t editedRow() const { return request_.candidate.value_or(0); }
    [[nodiscard]] bool paddingTells() const { return net_.sizes().lengthClasses == 0; }
    [[nodiscard]] std::optional<std::int32_t> maybeEnd() const {
        return paddingTells() ? std::optional(net_.sizes().special.eos) : std::nullopt;
    }

    void setLengths(CandidateGroup& group, const Condition& encoded,
                    std::span<const std::int32_t> sourceLengths) const {
        const std::int64_t longest = net_.sizes().targetLength;
        if (!paddingTells())
            return chooseLengths(
                group, encoded.lengthLogits, sourceLengths,
                {net_.sizes().lengthClasses / 2, plan_.lengthBeam, plan_.noiseBeam, longest});
        group.lengths.assign(sourceLengths.size() * static_cast<std::size_t>(plan_.beam()),
                             static_cast<std::int32_t>(longest));
        group.width = longest;
    }

    /// The lengths up to the first EOS, where padding tells them.
    [[nodiscard]] CandidateGroup untilEnd(const CandidateGroup& group, const DecodedTokens& decoded) const {
        CandidateGroup cut = group;
        for (std::size_t row = 0; paddingTells() && row < cut.lengths.size(); ++row) {
            const auto first = decoded.ids.begin() + static_cast<std::ptrdiff_t>(row) * group.width,
                       last = first + group.width;
            const auto end = std::find(first, last, net_.sizes().special.eos);
            cut.lengths[row] = static_cast<std::int32_t>(std::min(end + 1, last) - first);
        }
        return cut;
    }

    std::optional<at::Tensor> denoise(const Work& work, EstimateRecorder* maybeRecorder) {
        std::vector<float> times;
        for (const auto& step : plan_.steps) times.push_back(static_cast<float>(step.modelTime));
        const at::Tensor embeddedTimes =
            net_.timeEmbedding(toDevice(std::span<const float>(times), net_.device()));
        ForwardPass pass;
        pass.decoding = true;
        if (maybeRecorder != nullptr) pass.maybeCapture = &maybeRecorder->capture();
        ReplayedDenoiser network(
            [&](const Noisy& x) { return net_.denoise(x, work.condition, work.layout, pass); },
            maybeRecorder == nullptr ? plan_.maybeGraphsOn : std::nullopt);

        diffusion::ReverseSampler sampler(plan_.steps, plan_.solver);
        Noisy noisy;
        noisy.words = noise(work.group, 0);
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
            if (change.defined()) apply(change, step, estimate, noisy);
            if (i + 1 == plan_.steps.size()) break;  // the estimate is the last state
            noisy.previous = estimate.selfConditioning;
            noisy.words = sampler.next(i, noisy.words, estimate.words,
                                       sampler.isRandom(i) ? noise(work.group, i + 1) : at::Tensor());
        }
        return estimate.words;
    }

    /// The change of the edited state; an estimate that is fed apart from the words changes with them.
    void apply(const at::Tensor& change, const schedule::ReverseStep& step, Estimate& estimate,
               Noisy& noisy) const {
        noisy.words[editedRow()].add_(change);
        if (!estimate.selfConditioning.is_same(estimate.words))
            estimate.selfConditioning[editedRow()].add_(change, 1 / std::sqrt(step.alphaBar));
    }

    [[nodiscard]] EmbeddingEdits::FreshNoise freshNoise(std::size_t step) const {
        return {StreamId(plan_.seed, "what_if.noise", step), 1};
    }
    [[nodiscard]] at::Tensor noise(const CandidateGroup& group, std::uint64_t step) const {
        return noiseOf(group,
                       {StreamId(plan_.seed, "sampler.noise", step), plan_.firstRow, net_.sizes().latent},
                       net_.device());
    }

    /// Every word becomes its nearest embedding.
    void clamp(Estimate& estimate) {
        estimate.words = net_.embedTarget(diffusion::nearestRows(estimate.words, words_.embeddings));
        if (plan_.feedsClamped) estimate.selfConditioning = estimate.words;
        if (estimate.tokens.defined()) estimate.tokens = estimate.words.clone();
    }

    at::Tensor logitsOf(const at::Tensor& estimate, bool edited) {
        at::Tensor logits = words_.logits(estimate);
        if (edited) applyEdits(logits[editedRow()], request_.edits, static_cast<int>(plan_.steps.size()) - 1);
        return logits;
    }

    DiffusiaNetImpl& net_;
    const train::GenerateRequest& request_;
    const Plan& plan_;
    train::Generation& out_;
    WordTable words_;
};

Result<Plan> planOf(DiffusiaNetImpl& net, const diffusion::GaussianProcess& process,
                    const train::GenerateRequest& request, const RunConfig& sampler) {
    Plan plan;
    const std::int64_t steps = sampler.integer("sampler.steps");
    if (steps > process.steps())
        return requestError("sample.steps",
                            fmt::format("{} reverse steps, but the process has {}", steps, process.steps()))
            .at("sampler.steps");
    plan.steps = process.reverseSteps(static_cast<int>(steps));
    plan.solver = solverOf(sampler);
    plan.lengthBeam = sampler.integer("sampler.length_beam");
    KURVE_CHECKED(checkLengthBeam(sampler));
    plan.noiseBeam = sampler.integer("sampler.noise_beam");
    plan.rowsAtOnce = rowsAtOnce(sampler, net.device());
    plan.maybeGraphsOn = graphsOn(net.device(), sampler);
    plan.clamp = sampler.flag("sampler.clamp");
    plan.feedsClamped = sampler.text("sampler.feed") == "clamped";
    plan.minimumBayesRisk = sampler.text("sampler.selection") == kMbrTokens;
    plan.seed = request.seed;
    plan.firstRow = request.firstRow;
    KURVE_CHECKED(checkSources(request, net.sizes().conditionLength));
    for (const auto& source : request.sources)
        if (source.empty())
            return requestError("sample.no_input", "the source has no tokens").at("input").fix("type a text");
    return plan;
}

}  // namespace

void dryRun(DiffusiaNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler,
            c10::Device device) {
    const std::int64_t beam = sampler.integer("sampler.length_beam") * sampler.integer("sampler.noise_beam"),
                       sources =
                           std::clamp<std::int64_t>(rowsAtOnce(sampler, device) / beam, 1, longest.rows),
                       width = paddingIsToken(sampler) ? net.sizes().targetLength : longest.targetLength;
    const std::span lengths = std::span(longest.sourceLengths).first(static_cast<std::size_t>(sources));
    const Condition condition =
        net.repeated(net.encode(longest.source.narrow(0, 0, sources), lengths, {}), beam);
    const std::vector<std::int32_t> words(static_cast<std::size_t>(sources * beam),
                                          static_cast<std::int32_t>(width));
    const TokenLayout layout(std::span<const std::int32_t>(words), width, net.device());
    const at::TensorOptions options = net.targetEmbedding->weight.options();
    Noisy noisy;
    noisy.words = at::empty({sources * beam, width, net.sizes().latent}, options);
    noisy.time = net.timeEmbedding(at::zeros({1}, options));
    noisy.previous = net.denoise(noisy, condition, layout, {}).words;
    const at::Tensor estimate = net.denoise(noisy, condition, layout, {}).words;
    (void)diffusion::nearestRows(estimate, net.targetEmbedding->weight);
    (void)at::logsumexp(net.logits(estimate), -1);
}

Result<train::Generation> generateWith(DiffusiaNetImpl& net, const diffusion::GaussianProcess& process,
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

}  // namespace kurve::models::diffusia
