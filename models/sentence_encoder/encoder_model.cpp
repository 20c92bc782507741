#include "models/sentence_encoder/encoder_model.h"

#include <torch/torch.h>

#include <map>

#include "core/base/check.h"
#include "core/train/make_trainer.h"
#include "models/common/decoding.h"
#include "models/sentence_encoder/packed_encoder.h"

namespace kurve::models::sentence_encoder {
namespace {

/// Numbers of sentences of one length each.
std::vector<std::vector<std::size_t>> batchesByLength(
    const std::vector<std::vector<std::int32_t>>& sentences) {
    std::map<std::size_t, std::vector<std::vector<std::size_t>>> byLength;
    for (std::size_t i = 0; i < sentences.size(); ++i) {
        auto& batches = byLength[sentences[i].size()];
        if (batches.empty() || (batches.back().size() + 1) * sentences[i].size() > kBatchTokens)
            batches.emplace_back();
        batches.back().push_back(i);
    }
    std::vector<std::vector<std::size_t>> all;
    for (auto& [length, batches] : byLength) all.insert(all.end(), batches.begin(), batches.end());
    return all;
}

}  // namespace

train::LossReport EncoderModel::loss(const train::DeviceBatch& /*batch*/,
                                     const train::StepRandom& /*random*/) {
    KURVE_CHECK(false, "a sentence encoder has no loss");
    return {};
}

Result<train::Generation> EncoderModel::generate(const train::GenerateRequest& /*request*/,
                                                 const RunConfig& /*sampler*/,
                                                 trace::TraceSink* /*maybeTrace*/) {
    return train::writesNoText(config_);
}

at::Tensor EncoderModel::encodeSentences(const std::vector<std::vector<std::int32_t>>& sentences,
                                         int threads) {
    PackedEncoder encoder(net_);
    const auto batches = batchesByLength(sentences);
    at::Tensor vectors =
        at::empty({static_cast<std::int64_t>(sentences.size()), net_->sizes().bert.layer.hidden});
    inThreads(net_->device().is_cpu() ? threads : 1, batches.size(), [&](std::size_t batch) {
        const PaddedRows rows = padRows(sentences, batches[batch], net_->device(), {0, 0});
        const std::vector<std::int64_t> which(batches[batch].begin(), batches[batch].end());
        vectors.index_copy_(0, at::tensor(which, at::kLong), encoder(rows.ids).to(at::kCPU, at::kFloat));
    });
    return vectors;
}

}  // namespace kurve::models::sentence_encoder
