#include "models/ngram/ngram_model.h"

#include <torch/torch.h>

#include <algorithm>
#include <cmath>

#include "core/base/check.h"
#include "core/diffusion/fused_linear_cross_entropy.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/ngram/future_tokens.h"
#include "models/ngram/ngram_fields.h"
#include "models/transformer/generator.h"

namespace kurve::models::ngram {
namespace {

at::Tensor indexOf(const std::vector<std::int64_t>& values, c10::Device device) {
    return toDevice(std::span<const std::int64_t>(values), device);
}

/// Texts of a batch; lengths with BOS and EOS.
struct Texts {
    at::Tensor ids;  ///< [B, L]
    std::vector<std::int32_t> lengths;
};

/// -log p of every future token, [P].
at::Tensor nllOf(NgramNetImpl& net, const Texts& texts, const FutureTokens& future, const ForwardPass& pass) {
    const c10::Device device = net.device();
    std::vector<std::int32_t> read = texts.lengths;
    for (std::int32_t& length : read) --length;
    const at::Tensor states = net.read(texts.ids.narrow(1, 0, texts.ids.size(1) - 1), read, pass);
    const at::Tensor vectors =
        net.head(states.reshape({-1, states.size(2)}).index_select(0, indexOf(future.states, device)), pass);
    const at::Tensor targets = texts.ids.reshape({-1}).index_select(0, indexOf(future.target, device));
    return diffusion::meanNll(
               vectors.reshape({-1, states.size(2)}).index_select(0, indexOf(future.prediction, device)),
               net.outputTable(), targets)
        .nll;
}

std::vector<double> denominatorsOf(const FutureTokens& future) {
    std::vector<double> all{static_cast<double>(future.target.size())};
    for (const std::int64_t count : future.count) all.push_back(static_cast<double>(count));
    return all;
}

/// Mean NLLs by position ahead.
std::map<std::string, at::Tensor> partsOf(const at::Tensor& nll, const FutureTokens& future,
                                          const std::vector<double>& denominators) {
    std::map<std::string, at::Tensor> parts;
    std::int64_t first = 0;
    for (std::size_t j = 0; j < future.count.size(); ++j) {
        parts[futureNllAt(static_cast<std::int64_t>(j) + 1)] =
            nll.narrow(0, first, future.count[j]).sum() / denominators[j + 1];
        first += future.count[j];
    }
    return parts;
}

/// How many tokens are predicted in each row, [B] f32.
at::Tensor predictedTokens(const FutureTokens& future, std::int64_t rows, c10::Device device) {
    std::vector<float> predicted(static_cast<std::size_t>(rows));
    for (const std::int64_t row : future.row) predicted[static_cast<std::size_t>(row)] += 1;
    return toDevice(std::span<const float>(predicted), device);
}

}  // namespace

std::vector<double> NgramModel::lossDenominators(const train::DeviceBatch& batch,
                                                 const train::StepRandom& /*random*/) const {
    return denominatorsOf(futureTokens(batch.targetLengths, batch.targetLength, net_->tokensPerState()));
}

train::LossReport NgramModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    const FutureTokens future = futureTokens(batch.targetLengths, batch.targetLength, tokensPerState());
    ForwardPass pass;
    pass.dropout = net_->is_training() ? config_.real("model.dropout") : 0;
    pass.seed = random.seed;
    pass.step = random.step;
    pass.firstRow = random.row;
    pass.maybeActivations = maybeActivations_;
    const at::Tensor nll = nllOf(*net_, {batch.target, batch.targetLengths}, future, pass);

    std::vector<double> denominators =
        batch.stepDenominators.empty() ? denominatorsOf(future) : batch.stepDenominators;
    for (double& one : denominators) one = std::max(one, 1.0);
    train::LossReport report;
    report.total = nll.sum() / denominators[0];
    report.parts = partsOf(nll.detach(), future, denominators);
    const at::Tensor predicted = predictedTokens(future, batch.rows, net_->device());
    report.rowLoss = at::zeros(predicted.sizes(), nll.options())
                         .index_add(0, indexOf(future.row, net_->device()), nll.detach()) /
                     predicted.clamp_min(1);
    // A token counts once, however many states predict it.
    report.rowTokens = predicted / static_cast<double>(net_->tokensPerState());
    return report;
}

Result<NgramModel::FutureLikelihoods> NgramModel::futureNll(const train::LikelihoodRequest& request) {
    KURVE_CHECKED(checkLengths(request.targets, net_->maxPositions()));
    const c10::InferenceMode inference;
    const Evaluating evaluating(*net_);
    const auto n = static_cast<std::size_t>(tokensPerState());
    FutureLikelihoods out;
    out.texts.assign(request.targets.size(), {std::vector<double>(n), std::vector<double>(n)});
    constexpr std::size_t kRows = 32;
    for (const auto& which : groupsByLength(request.targets, kRows)) {
        if ((out.cancelled = request.cancel.requested())) return out;
        auto [ids, lengths] = padRows(request.targets, which, net_->device(), {net_->special().pad});
        const FutureTokens future = futureTokens(lengths, ids.size(1), tokensPerState());
        const at::Tensor nll =
            nllOf(*net_, {ids, std::move(lengths)}, future, {}).to(at::kCPU, at::kDouble).contiguous();
        const auto* value = nll.const_data_ptr<double>();
        std::size_t p = 0;
        for (std::size_t j = 0; j < n; ++j)
            for (std::int64_t i = 0; i < future.count[j]; ++i, ++p) {
                metrics::FutureNll& text = out.texts[which[static_cast<std::size_t>(future.row[p])]];
                text.nats[j] += value[p];
                text.tokens[j] += 1;
            }
    }
    return out;
}

Result<at::Tensor> NgramModel::perturbedLogits(const std::vector<std::int32_t>& context,
                                               const train::Perturbation& perturbation) {
    KURVE_CHECK(!context.empty() && perturbation.dropout < 1, "{} ids, dropout {}", context.size(),
                perturbation.dropout);
    KURVE_CHECKED(checkLengths({context}, net_->maxPositions()));
    const c10::InferenceMode inference;
    const Evaluating evaluating(*net_);
    const c10::Device device = net_->device();
    const std::vector<std::size_t> first{0};
    const auto [ids, lengths] = padRows({context}, first, device, {net_->special().pad});
    const at::Tensor h = net_->read(ids, lengths, {})[0][ids.size(1) - 1];

    const std::vector<std::int64_t> shape{1, perturbation.samples, h.size(0)};
    const auto stream = [&](const char* purpose) {
        return tensor::RowStream{StreamId(perturbation.seed, purpose, 0), perturbation.row};
    };
    const at::Tensor kept = tensor::uniformRows(shape, stream("perturbation.dropout"), device)[0].ge(
                         perturbation.dropout),
                     normal = tensor::normalRows(shape, stream("perturbation.noise"), device)[0];
    const at::Tensor scale = h.norm() / std::sqrt(static_cast<double>(h.size(0))) * perturbation.noise;
    const at::Tensor states =
        h * kept.to(h.scalar_type()) / (1 - perturbation.dropout) + scale * normal.to(h.scalar_type());
    ForwardPass decoding;
    decoding.decoding = true;
    return net_->logits(net_->head(states, decoding)).to(at::kCPU, at::kDouble).contiguous();
}

Result<train::Generation> NgramModel::generate(const train::GenerateRequest& request,
                                               const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    return transformer::generateWith(*net_, request, sampler, maybeTrace);
}

void NgramModel::dryRunDecoding(const train::DeviceBatch& longest, const RunConfig& sampler,
                                c10::Device /*device*/) {
    transformer::dryRun(*net_, longest, sampler);
}

std::vector<trace::EditKind> NgramModel::edits() const {
    return {trace::EditKind::Force, trace::EditKind::Pin, trace::EditKind::Ban};
}

}  // namespace kurve::models::ngram
