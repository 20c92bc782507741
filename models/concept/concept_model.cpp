#include "models/concept/concept_model.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <numeric>

#include "core/diffusion/fused_linear_cross_entropy.h"
#include "core/train/parameter_groups.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/concept/concept_fields.h"
#include "models/concept/reconstruction.h"

namespace kurve::models::sentence_concept {
namespace {

enum Denominator : std::size_t { kTokens, kSentences };

constexpr const char *kEncoderParameters = "embedding.*, positions.*, encoder*, to_vector.*",
                     *kFrozenEncoder =
                         "embedding.*: frozen; positions.*: frozen; encoder*: frozen; to_vector.*: frozen";

/// Sentence by sentence whether it was written again, as numbers.
at::Tensor exact(const ConceptNetImpl::Written& written, const train::DeviceBatch& batch) {
    const at::Tensor ids = batch.target.to(at::kCPU);
    std::vector<float> same;
    for (std::int64_t row = 0; row < batch.rows; ++row) {
        const auto* from = ids[row].const_data_ptr<std::int64_t>() + 1;
        const auto length = batch.targetLengths[static_cast<std::size_t>(row)] - 2;
        const auto& mine = written.ids[static_cast<std::size_t>(row)];
        same.push_back(std::equal(mine.begin(), mine.end(), from, from + length) ? 1.0F : 0.0F);
    }
    return at::tensor(same);
}

}  // namespace

Sentences sentencesOf(const train::DeviceBatch& batch, std::vector<std::int32_t>& lengths) {
    lengths.clear();
    for (const std::int32_t length : batch.targetLengths) lengths.push_back(length - 1);
    const auto withoutBos = [&](const at::Tensor& ids) { return ids.narrow(1, 1, ids.size(1) - 1); };
    return {withoutBos(batch.target), lengths,
            batch.hostTarget.defined() ? withoutBos(batch.hostTarget) : at::Tensor()};
}

std::vector<double> ConceptModel::lossDenominators(const train::DeviceBatch& batch,
                                                   const train::StepRandom& /*random*/) const {
    return {static_cast<double>(batch.targetTokens - batch.rows), static_cast<double>(batch.rows)};
}

train::LossReport ConceptModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    std::vector<std::int32_t> lengths;
    const Sentences sentences = sentencesOf(batch, lengths);
    const std::int64_t length = sentences.ids.size(1);
    const at::Tensor vectors = net_->encode(sentences);
    const tensor::RowStream stream{random.stream("concept.noise"), random.row};
    const at::Tensor noise = tensor::normalRows({batch.rows, net_->sizes().width}, stream, net_->device()),
                     read = net_->is_training() ? trainingInput(vectors, noise, random) : vectors;
    // The codebooks are of vectors by the scaler as it is.
    if (net_->is_training() && maybeCodebooks_ == nullptr && !vectors.is_meta()) net_->observe(vectors);

    const at::Tensor places = realIndices(lengths, length, net_->device()),
                     ids = sentences.ids.flatten().index_select(0, places),
                     states = net_->decode(read, sentences.ids).flatten(0, 1).index_select(0, places),
                     nll = diffusion::meanNll(states, net_->outputTable(), ids).nll;
    const std::vector<double> denominators =
        batch.stepDenominators.empty() ? lossDenominators(batch, random) : batch.stepDenominators;
    train::LossReport report;
    report.total = nll.sum() / denominators[kTokens];
    report.parts["loss_token"] = report.total.detach();
    report.rowLoss = rowMeans(nll.detach(), lengths, length);
    const std::vector<float> counts(lengths.begin(), lengths.end());
    report.rowTokens = toDevice(std::span<const float>(counts), net_->device());
    if (net_->is_training() || vectors.is_meta()) return report;
    const torch::NoGradGuard noGrad;
    report.parts["token_accuracy"] =
        at::matmul(states, net_->outputTable().t()).argmax(-1).eq(ids).sum() / denominators[kTokens];
    addReconstruction(batch, vectors, noise, report);
    return report;
}

Status ConceptModel::checkTraining(const text::Split& /*train*/,
                                   std::vector<std::string>& /*warnings*/) const {
    if (maybeCodebooks_ == nullptr) return {};
    if (!maybeCodebooks_->areOf(net_->center, net_->scale))
        return requestError("concept.codebooks",
                            fmt::format("the codebooks are of the vectors of {}, not of these",
                                        maybeCodebooks_->concepts()))
            .at("train.init_from")
            .fix(fmt::format("train.init_from = \"{}\"", maybeCodebooks_->concepts()));
    if (!net_->sizes().ownEncoder) return {};
    for (const auto& item : net_->named_parameters())
        if (train::matchesAny(kEncoderParameters, item.key()) && item.value().requires_grad())
            return requestError(
                       "concept.codebooks",
                       fmt::format("{} would be trained, and the vectors would no longer be those that "
                                   "the codebooks are of",
                                   item.key()))
                .at("train.parameter_groups")
                .fix(fmt::format("train.parameter_groups = \"{}\"", kFrozenEncoder));
    return {};
}

at::Tensor ConceptModel::trainingInput(const at::Tensor& vectors, const at::Tensor& noise,
                                       const train::StepRandom& random) const {
    const std::int64_t rows = vectors.size(0);
    at::Tensor read = vectors;
    if (maybeCodebooks_ != nullptr)
        read = maybeCodebooks_->quantized(
            vectors, drawnBooks(rows, maybeCodebooks_->books(), config_, random, net_->device()));
    const double most = config_.real("concept.noise");
    if (most == 0) return read;
    const tensor::RowStream sizes{random.stream("concept.noise_size"), random.row};
    return read + most * tensor::uniformRows({rows, 1}, sizes, net_->device()) * noise;
}

void ConceptModel::addReconstruction(const train::DeviceBatch& batch, const at::Tensor& vectors,
                                     const at::Tensor& noise, train::LossReport& report) {
    const auto share = [&](const at::Tensor& read) { return exact(net_->write(read), batch).mean(); };
    report.parts["reconstructed_sentences"] = share(vectors);
    for (const int hundredths : kNoises)
        report.parts[noisySentences(hundredths)] = share(vectors + hundredths / 100.0 * noise);
    if (maybeCodebooks_ == nullptr) return;
    const std::int64_t all = maybeCodebooks_->books();
    report.parts["reconstructed_sentences_books"] = share(maybeCodebooks_->quantized(vectors, all));
    for (const std::int64_t books : kMeasuredBooks)
        if (books < all)
            report.parts[quantizedSentences(books)] = share(maybeCodebooks_->quantized(vectors, books));
}

at::Tensor ConceptModel::encodeSentences(const std::vector<std::vector<std::int32_t>>& sentences,
                                         int /*threads*/) {
    const torch::NoGradGuard noGrad;
    std::vector<std::size_t> all(sentences.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    const PaddedRows rows = padRows(sentences, all, net_->device(), {net_->sizes().special.pad, 1});
    return net_->encode({rows.ids, rows.lengths}).to(at::kCPU, at::kFloat);
}

Result<train::Generation> ConceptModel::generate(const train::GenerateRequest& request,
                                                 const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    return reconstruct({*net_, maybeCodebooks_.get()}, request, sampler, maybeTrace);
}

}  // namespace kurve::models::sentence_concept
