#include "models/transformer/transformer_model.h"

#include <torch/torch.h>

#include <algorithm>

#include "core/base/check.h"
#include "core/diffusion/fused_linear_cross_entropy.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/transformer/chained_brier.h"
#include "models/transformer/generator.h"

namespace kurve::models::transformer {
namespace {

std::vector<std::int32_t> shortened(std::vector<std::int32_t> lengths, std::int64_t by) {
    for (auto& length : lengths) length -= static_cast<std::int32_t>(by);
    return lengths;
}

/// Of every real token after BOS, row by row.
diffusion::TokenNll tokenNll(const AutoregressiveNet& net, const TeacherForced& batch,
                             const at::Tensor& states) {
    const std::int64_t width = states.size(1);
    at::Tensor rows = states.reshape({-1, states.size(2)}),
               targets = batch.target.narrow(1, 1, width).reshape({-1});
    if (!isFull(batch.targetLengths, width)) {
        const at::Tensor real = realIndices(batch.targetLengths, width, net.device());
        rows = rows.index_select(0, real);
        targets = targets.index_select(0, real);
    }
    return diffusion::meanNll(rows, net.outputTable(), targets);
}

/// The mean over each row's real tokens, into the rows of `which`.
void pool(const at::Tensor& states, std::span<const std::int32_t> lengths, std::span<const std::size_t> which,
          train::Likelihoods& out) {
    for (std::size_t i = 0; i < which.size(); ++i) {
        const at::Tensor mean = states[static_cast<std::int64_t>(i)]
                                    .narrow(0, 0, lengths[i])
                                    .to(at::kDouble)
                                    .mean(0)
                                    .to(at::kCPU)
                                    .contiguous();
        const auto* value = mean.const_data_ptr<double>();
        out.pooledState[which[i]].assign(value, value + mean.numel());
    }
}

}  // namespace

std::vector<double> TransformerModel::lossDenominators(const train::DeviceBatch& batch,
                                                       const train::StepRandom& /*random*/) const {
    double tokens = 0;
    for (const std::int32_t length : batch.targetLengths) tokens += length - 1;
    return {tokens};
}

train::LossReport TransformerModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    ForwardPass pass;
    pass.dropout = net_->is_training() ? config_.real("model.dropout") : 0;
    pass.seed = random.seed;
    pass.step = random.step;
    pass.firstRow = random.row;
    pass.maybeActivations = maybeActivations_;

    const std::int64_t skip = net_->firstSource();
    const TeacherForced teacherForced{batch.source.narrow(1, skip, batch.sourceLength - skip), batch.target,
                                      shortened(batch.sourceLengths, skip),
                                      shortened(batch.targetLengths, 1)};
    const diffusion::TokenNll token = tokenNll(*net_, teacherForced, net_->states(teacherForced, pass));
    const double smoothing = config_.real("loss.label_smoothing");
    const at::Tensor perToken = token.nll * (1 - smoothing) + token.smooth * smoothing;

    train::LossReport report;
    const std::vector<double> denominators =
        batch.stepDenominators.empty() ? lossDenominators(batch, random) : batch.stepDenominators;
    report.total = perToken.sum() / denominators[0];
    report.parts = {{"nll", token.nll.detach().sum() / denominators[0]}};
    report.rowLoss = rowMeans(perToken.detach(), teacherForced.targetLengths, batch.targetLength - 1);
    const std::vector<float> tokens(teacherForced.targetLengths.begin(), teacherForced.targetLengths.end());
    report.rowTokens = toDevice(std::span<const float>(tokens), net_->device());
    return report;
}

Result<train::Likelihoods> TransformerModel::score(const train::LikelihoodRequest& request) {
    KURVE_CHECK(request.sources.size() == request.targets.size(), "{} sources, {} targets",
                request.sources.size(), request.targets.size());
    for (const auto* side : {&request.sources, &request.targets})
        KURVE_CHECKED(checkLengths(*side, net_->maxPositions()));
    const c10::InferenceMode inference;
    const Evaluating evaluating(*net_);
    train::Likelihoods out;
    out.logProbability.resize(request.targets.size());
    if (request.states) out.pooledState.resize(request.targets.size());
    constexpr std::size_t kRows = 32;
    for (const auto& which : groupsByLength(request.targets, kRows)) {
        if ((out.cancelled = request.cancel.requested())) return out;
        auto [source, sourceLengths] = padRows(request.sources, which, net_->device(), net_->sourcePadding());
        auto [target, targetLengths] = padRows(request.targets, which, net_->device(), {net_->special().pad});
        const TeacherForced teacherForced{source, target, std::move(sourceLengths),
                                          shortened(std::move(targetLengths), 1)};
        const at::Tensor states = net_->states(teacherForced, {});
        if (request.states) pool(states, teacherForced.targetLengths, which, out);
        const at::Tensor nll =
            tokenNll(*net_, teacherForced, states).nll.to(at::kCPU, at::kDouble).contiguous();
        const auto* value = nll.const_data_ptr<double>();
        for (std::size_t i = 0; i < which.size(); ++i)
            for (std::int32_t n = 0; n < teacherForced.targetLengths[i]; ++n)
                out.logProbability[which[i]].push_back(-*value++);
    }
    return out;
}

train::BrierDraws* TransformerModel::brierDraws() {
    return dynamic_cast<DecoderOnlyNetImpl*>(net_.get()) != nullptr ? this : nullptr;
}

Result<train::BrierStarts> TransformerModel::brierTerms(const train::BrierRequest& request,
                                                        const RunConfig& sampler) {
    auto* const net = dynamic_cast<DecoderOnlyNetImpl*>(net_.get());
    KURVE_CHECK(net != nullptr, "a Transformer with an encoder");
    const bool samples = sampler.text("sampler.method") == "sample";  // else there is no temperature
    return chainedBrier(*net, request, samples ? sampler.real("sampler.temperature") : 1);
}

Result<train::Generation> TransformerModel::generate(const train::GenerateRequest& request,
                                                     const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    return generateWith(*net_, request, sampler, maybeTrace);
}

}  // namespace kurve::models::transformer
