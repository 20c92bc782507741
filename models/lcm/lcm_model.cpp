#include "models/lcm/lcm_model.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>

#include "core/base/check.h"
#include "core/tensor/autocast.h"
#include "core/tensor/to_device.h"
#include "core/text/split.h"
#include "models/common/padding.h"
#include "models/lcm/fragility.h"
#include "models/lcm/generator.h"
#include "models/lcm/lcm_fields.h"
#include "models/lcm/sentence_scores.h"

namespace kurve::models::lcm {
namespace {

constexpr double kAveraged = 100;  // batches that the mean last vector reaches over

at::Tensor rowUniforms(std::int64_t rows, const train::StepRandom& random, const char* purpose,
                       c10::Device device) {
    return tensor::uniformRows({rows, 1}, {random.stream(purpose), random.row}, device).squeeze(1);
}

at::Tensor squaredError(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).square().sum(-1);
}

}  // namespace

sentence_concept::ConceptNet LcmParts::concepts() const {
    return dynamic_cast<sentence_concept::ConceptModel&>(*autoencoder).net();
}

Documents::Documents(const at::Tensor& rows, std::span<const std::int32_t> sentences)
    : counts(sentences.begin(), sentences.end()) {
    const std::int64_t most = *std::max_element(counts.begin(), counts.end());
    places = realIndices(counts, most, rows.device());
    vectors = at::zeros({static_cast<std::int64_t>(counts.size()), most, rows.size(1)}, rows.options());
    vectors = spread(rows);
}

at::Tensor Documents::spread(const at::Tensor& rows) const {
    std::vector<std::int64_t> shape = rows.sizes().vec();
    shape[0] = vectors.size(0) * vectors.size(1);
    const at::Tensor flat = at::zeros(shape, rows.options()).index_copy(0, places, rows);
    shape[0] = vectors.size(1);
    shape.insert(shape.begin(), vectors.size(0));
    return flat.view(shape);
}

std::vector<float> LcmModel::predictedRows(const train::DeviceBatch& batch) const {
    std::vector<float> predicted;
    for (std::size_t d = 0; d < batch.sentences.size(); ++d) {
        const std::int32_t least = parts_.net->sizes().kind == LcmKind::Base ? 1 : 0,
                           first = batch.promptSentences.empty() ? least
                                                                 : std::max(least, batch.promptSentences[d]);
        for (std::int32_t s = 0; s < batch.sentences[d]; ++s) predicted.push_back(s < first ? 0.0F : 1.0F);
    }
    return predicted;
}

std::vector<double> LcmModel::lossDenominators(const train::DeviceBatch& batch,
                                               const train::StepRandom& /*random*/) const {
    const std::vector<float> predicted = predictedRows(batch);
    return {std::accumulate(predicted.begin(), predicted.end(), 0.0)};
}

Status LcmModel::checkTraining(const text::Split& train, std::vector<std::string>& warnings) const {
    const LcmSizes& sizes = parts_.net->sizes();
    std::size_t sentences = 0, alone = 0;
    for (std::size_t d = 0; d < train.size(); ++d) {
        sentences += train.sentences(d);
        alone += train.sentences(d) == 1 ? 1 : 0;
    }
    if (sizes.kind == LcmKind::Base && alone == train.size())
        return requestError("data.one_sentence",
                            fmt::format("all {} documents have one sentence; Base predicts the next", alone))
            .at("data.train")
            .fix("give it documents of two sentences and more, or set model.kind to \"two-tower\"");
    if (sizes.kind == LcmKind::Base && alone > 0)
        warnings.push_back(
            fmt::format("train: {} of {} documents have one sentence, of which Base learns nothing", alone,
                        train.size()));
    if (isQuant(sizes.kind) && static_cast<std::size_t>(sizes.centroids) > sentences)
        return requestError("quantizer.centroids",
                            fmt::format("a codebook of {} vectors, but the training split has {} sentences",
                                        sizes.centroids, sentences))
            .at("quantizer.centroids")
            .fix("lower it, or give more documents");
    if (sizes.kind != LcmKind::Base && config_.real("sampler.guidance") != 1 &&
        config_.real("train.drop_context") == 0)
        warnings.push_back(
            fmt::format("sampler.guidance is {}, but no sentence is trained without its context; raise "
                        "train.drop_context or set sampler.guidance to 1",
                        config_.real("sampler.guidance")));
    return {};
}

at::Tensor LcmModel::vectorsOf(const train::DeviceBatch& batch) const {
    const torch::NoGradGuard frozen;
    const tensor::Autocast off(batch.target.device(), false);  // as those that are kept
    auto concepts = parts_.concepts();
    std::vector<std::int32_t> lengths;
    return concepts->normalised(concepts->encode(sentence_concept::sentencesOf(batch, lengths)));
}

train::LossReport LcmModel::loss(const train::DeviceBatch& batch, const train::StepRandom& random) {
    const Documents documents(vectorsOf(batch), batch.sentences);
    const LcmKind kind = parts_.net->sizes().kind;
    if (parts_.net->is_training() && !documents.vectors.is_meta()) observeVectors(documents, random);
    const Predicted found = kind == LcmKind::Base ? next(documents)
                            : isQuant(kind)       ? quantized(documents, random)
                                                  : denoised(documents, batch, random);
    const double count = batch.stepDenominators.empty() ? lossDenominators(batch, random).front()
                                                        : batch.stepDenominators.front();
    const std::vector<float> predicted = predictedRows(batch);
    train::LossReport report;
    report.rowTokens = toDevice(std::span<const float>(predicted), parts_.device());
    const at::Tensor losses = found.loss * report.rowTokens;
    report.total = losses.sum() / std::max(1.0, count);  // Base of documents of one sentence: nothing
    report.rowLoss = losses.detach();
    report.logSnr = found.logSnr;
    if (found.fragility.defined()) report.parts["fragility"] = found.fragility.mean();
    if (parts_.net->is_training() || documents.vectors.is_meta()) return report;
    const torch::NoGradGuard noGrad;
    for (auto& [name, value] : sentenceScores(parts_, config_, documents, batch, random))
        report.parts[name] = value;
    return report;
}

LcmModel::Predicted LcmModel::next(const Documents& documents) {
    // Of documents of one sentence there is nothing to predict; the loss stays a function of the weights.
    if (documents.vectors.size(1) == 1) {
        const at::Tensor unread = parts_.net->predict(documents.vectors.expand({-1, 2, -1}), {});
        return {documents.rowsOf(0 * unread.sum(-1)), {}, {}};
    }
    const at::Tensor error = squaredError(parts_.net->predict(documents.vectors, {}),
                                          documents.vectors.narrow(1, 1, documents.vectors.size(1) - 1));
    return {documents.rowsOf(at::constant_pad_nd(error, {1, 0})), {}, {}};
}

LcmModel::Predicted LcmModel::denoised(const Documents& documents, const train::DeviceBatch& batch,
                                       const train::StepRandom& random) {
    const at::Tensor clean = documents.rowsOf(documents.vectors);
    const std::int64_t rows = clean.size(0), steps = parts_.net->sizes().steps;
    const at::Tensor step =
        (rowUniforms(rows, random, "lcm.time", clean.device()) * static_cast<double>(steps)).to(at::kLong);
    const at::Tensor bars = tensor::toDevice(at::tensor(parts_.alphaBars, at::kDouble), clean.device())
                                .index_select(0, step),
                     signal = bars.sqrt().to(clean.scalar_type()).unsqueeze(1),
                     level = (1 - bars).sqrt().to(clean.scalar_type()).unsqueeze(1);
    const at::Tensor noise =
        tensor::normalRows(clean.sizes(), {random.stream("lcm.noise"), random.row}, clean.device())
            .to(clean.scalar_type());
    NoisySentences noisy{documents.spread(signal * clean + level * noise), documents.spread(step), {}};
    if (const double share = config_.real("train.drop_context"); share > 0)
        noisy.maybeDropped =
            documents.spread(rowUniforms(rows, random, "lcm.drop_context", clean.device()).lt(share));
    const at::Tensor wanted = diffusion::targetOf(parts_.target, {clean, noise}, {signal, level});
    Predicted out;
    out.loss = squaredError(documents.rowsOf(parts_.net->predict(documents.vectors, noisy)), wanted);
    const at::Tensor snr = bars / (1 - bars);
    if (config_.text("loss.weight") == "fragility") {
        out.fragility = fragilityOf(batch, clean, random);
        out.loss = out.loss * fragilityWeight(out.fragility, config_.real("loss.fragility_slope"),
                                              config_.real("loss.fragility_offset"));
    }
    if (config_.text("loss.weight") == "clamped-snr")
        out.loss =
            out.loss *
            snr.clamp(config_.real("loss.snr_min"), config_.real("loss.snr_max")).to(clean.scalar_type());
    // The last step has no signal: a level of its own below all others.
    out.logSnr = snr.log().clamp_min(-20).to(at::kFloat);
    return out;
}

at::Tensor LcmModel::fragilityOf(const train::DeviceBatch& batch, const at::Tensor& normalised,
                                 const train::StepRandom& random) const {
    auto concepts = parts_.concepts();
    std::vector<std::int32_t> lengths;
    return fragility(*concepts, sentence_concept::sentencesOf(batch, lengths), normalised,
                     fragileNoise(config_.integer("loss.fragility_draws"), normalised, random));
}

LcmModel::Predicted LcmModel::quantized(const Documents& documents, const train::StepRandom& random) {
    const LcmSizes& sizes = parts_.net->sizes();
    const at::Tensor clean = documents.rowsOf(documents.vectors);
    const std::int64_t rows = clean.size(0);
    const at::Tensor before =
        (rowUniforms(rows, random, "lcm.book", clean.device()) * static_cast<double>(sizes.books))
            .to(at::kLong);  // books that are known
    QuantizerImpl::Known known;
    {
        const torch::NoGradGuard fixed;
        known = parts_.quantizer->known(clean, before);
    }
    NoisySentences noisy{documents.spread(known.sum), documents.spread(before + 1), {}};
    if (const double share = config_.real("train.drop_context"); share > 0)
        noisy.maybeDropped =
            documents.spread(rowUniforms(rows, random, "lcm.drop_context", clean.device()).lt(share));
    const at::Tensor predicted = documents.rowsOf(parts_.net->predict(documents.vectors, noisy));
    if (sizes.kind == LcmKind::QuantC) return {squaredError(predicted, clean), {}, {}};
    return {at::nll_loss(at::log_softmax(tensor::atLeastFloat(predicted), -1), known.next, {},
                         at::Reduction::None),
            {},
            {}};
}

void LcmModel::observeVectors(const Documents& documents, const train::StepRandom& random) {
    const torch::NoGradGuard noGrad;
    if (parts_.quantizer && parts_.quantizer->updatesSoFar() < config_.integer("quantizer.updates"))
        parts_.quantizer->observe(documents.rowsOf(documents.vectors), random.stream("lcm.quantizer"));
    std::vector<std::int64_t> last;
    for (std::size_t d = 0; d < documents.counts.size(); ++d)
        last.push_back(static_cast<std::int64_t>(d) * documents.vectors.size(1) + documents.counts[d] - 1);
    const at::Tensor ends = documents.vectors.flatten(0, 1).index_select(
        0, toDevice(std::span<const std::int64_t>(last), parts_.device()));
    parts_.endsSeen.add_(1);
    parts_.end.lerp_(ends.mean(0), parts_.endsSeen.clamp_max(kAveraged).reciprocal());
}

Result<train::Generation> LcmModel::generate(const train::GenerateRequest& request, const RunConfig& sampler,
                                             trace::TraceSink* maybeTrace) {
    return generateDocuments(parts_, request, sampler, maybeTrace);
}

std::vector<trace::EditKind> LcmModel::edits() const {
    std::vector<trace::EditKind> kinds{trace::EditKind::Pin, trace::EditKind::Sampler};
    if (parts_.net->sizes().kind != LcmKind::Base) kinds.push_back(trace::EditKind::Noise);
    return kinds;
}

}  // namespace kurve::models::lcm
