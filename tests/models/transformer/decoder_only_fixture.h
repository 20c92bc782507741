#pragma once

#include <ATen/core/grad_mode.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "core/text/trained_specials.h"
#include "core/train/likelihood.h"
#include "models/transformer/decoder_only_net.h"
#include "tests/models/family_fixture.h"

/// Small Transformers of texts without a source.
namespace kurve::models::transformer::texts {

using Ids = std::vector<std::int32_t>;

inline constexpr std::int32_t kWord = text::kFirstRegularToken;

inline RunConfig configOf(const std::vector<Override>& settings = {}) {
    std::vector<Override> all{{"data.kind", "text"}, {"loss.label_smoothing", "0"}};
    all.insert(all.end(), settings.begin(), settings.end());
    return testing::toyConfig("transformer", all);
}

struct ToyShape {
    std::int64_t vocabulary = kWord + 20, longest = 16;
};

inline std::unique_ptr<train::SequenceModel> modelOf(const RunConfig& config, const ToyShape& shape = {},
                                                     c10::Device device = at::kCPU) {
    auto made = findFamily("transformer")
                    ->create(config, {{shape.vocabulary, shape.vocabulary, true, shape.longest, false,
                                       text::kTrainedSpecials},
                                      device});
    EXPECT_TRUE(made) << made.error().text();
    return std::move(*made);
}

inline DecoderOnlyNetImpl& netOf(train::SequenceModel& model) {
    return dynamic_cast<DecoderOnlyNetImpl&>(model.module());
}

/// With confident predictions, as a trained one has.
inline std::unique_ptr<train::SequenceModel> confidentModel(const RunConfig& config,
                                                            const ToyShape& shape = {}, double scale = 4) {
    auto model = modelOf(config, shape);
    const at::NoGradGuard noGrad;
    netOf(*model).embedding->weight.mul_(scale);
    model->module().eval();
    return model;
}

/// BOS, the words, EOS.
inline Ids textOf(const Ids& words) {
    Ids all{text::kBos};
    all.insert(all.end(), words.begin(), words.end());
    all.push_back(text::kEos);
    return all;
}

inline text::Batch hostBatch(const std::vector<Ids>& texts) {
    text::Batch batch;
    batch.rows = static_cast<int>(texts.size());
    for (const Ids& one : texts)
        batch.targetLength = std::max(batch.targetLength, static_cast<int>(one.size()));
    for (Ids one : texts) {
        batch.pairs.push_back(static_cast<std::int32_t>(batch.pairs.size()));
        batch.sourceLengths.push_back(0);
        batch.targetLengths.push_back(static_cast<std::int32_t>(one.size()));
        one.resize(static_cast<std::size_t>(batch.targetLength), text::kPad);
        batch.target.insert(batch.target.end(), one.begin(), one.end());
    }
    return batch;
}

inline train::DeviceBatch batchOf(const std::vector<Ids>& texts, c10::Device device = at::kCPU) {
    return train::toDevice(hostBatch(texts), device);
}

inline text::TextTemplate prefixOf(const Ids& words) {
    text::TextTemplate known{{text::kBos}};
    known.ids.insert(known.ids.end(), words.begin(), words.end());
    return known;
}

inline train::GenerateRequest requestOf(const std::vector<text::TextTemplate>& known) {
    train::GenerateRequest request;
    request.sources.resize(known.size());
    request.templates = known;
    return request;
}

inline train::Generation generated(train::SequenceModel& model, const RunConfig& config,
                                   const train::GenerateRequest& request,
                                   trace::TraceSink* maybeTrace = nullptr) {
    auto made = model.generate(request, config, maybeTrace);
    EXPECT_TRUE(made) << made.error().text();
    return made ? std::move(*made) : train::Generation();
}

inline std::vector<double> logProbabilities(train::SequenceModel& model, const Ids& words) {
    train::LikelihoodRequest request;
    request.sources.resize(1);
    request.targets = {textOf(words)};
    const auto scored = model.likelihood()->score(request);
    EXPECT_TRUE(scored) << scored.error().text();
    return scored->logProbability[0];
}

inline double sumOf(const std::vector<double>& values, std::size_t from = 0) {
    double sum = 0;
    for (std::size_t i = from; i < values.size(); ++i) sum += values[i];
    return sum;
}

}  // namespace kurve::models::transformer::texts
