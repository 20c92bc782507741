#include "models/lcm/sentence_scores.h"

#include <torch/torch.h>

#include <numeric>

#include "core/base/check.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/lcm/lcm_fields.h"
#include "models/lcm/next_vectors.h"
#include "models/lcm/quantizer_scores.h"

namespace kurve::models::lcm {
namespace {

constexpr double kLeastLikeness = 0.1;  // of the truth to its context: below, a ratio to it says nothing

at::Tensor distance(const at::Tensor& a, const at::Tensor& b) {
    return (a - b).norm(2, -1);
}

/// The greatest cosine of each vector [n, w] with those before it in its document.
at::Tensor likenessToContext(const at::Tensor& vectors, const at::Tensor& context,
                             const at::Tensor& earlier) {
    const auto unit = [](const at::Tensor& x) { return x / x.norm(2, -1, true).clamp_min(1e-9); };
    return at::matmul(unit(vectors), unit(context).t()).masked_fill(earlier.logical_not(), -2).amax(1);
}

}  // namespace

at::Tensor contrastiveAccuracy(const at::Tensor& predicted, const at::Tensor& truth,
                               const at::Tensor& document) {
    const at::Tensor all = at::cdist(predicted, truth), own = all.diagonal().unsqueeze(1),
                     others = document.unsqueeze(1).ne(document.unsqueeze(0));
    return (all.gt(own) & others).sum(1) / others.sum(1).to(predicted.scalar_type());
}

std::map<std::string, at::Tensor> sentenceScores(LcmParts& parts, const RunConfig& sampler,
                                                 const Documents& documents, const train::DeviceBatch& batch,
                                                 const train::StepRandom& random) {
    auto concepts = parts.concepts();
    const auto found = teacherForcedVectors(parts, sampler, documents, random);
    KURVE_CHECK(found.has_value(), "{}", found.error().text());
    // Numbers of the sentences that have one before them and are no part of a prompt, and of their documents.
    std::vector<std::int64_t> later, document, place;
    for (std::size_t d = 0, row = 0; d < documents.counts.size(); ++d)
        for (std::int32_t s = 0; s < documents.counts[d]; ++s, ++row) {
            document.push_back(static_cast<std::int64_t>(d));
            place.push_back(s);
            const std::int32_t first = batch.promptSentences.empty() ? 1 : batch.promptSentences[d];
            if (s >= std::max(first, 1)) later.push_back(static_cast<std::int64_t>(row));
        }
    std::map<std::string, at::Tensor> scores;
    if (later.empty()) return scores;
    const auto tensorOf = [&](const std::vector<std::int64_t>& values) {
        return toDevice(std::span<const std::int64_t>(values), parts.device());
    };
    const at::Tensor which = tensorOf(later), of = tensorOf(document), at = tensorOf(place);
    const at::Tensor all = concepts->denormalised(documents.rowsOf(documents.vectors)),
                     truth = all.index_select(0, which), mine = of.index_select(0, which),
                     here = at.index_select(0, which),
                     predicted = concepts->denormalised(documents.rowsOf(*found)).index_select(0, which);
    scores["l2"] = distance(predicted, truth).mean();
    scores["l2_mean_vector"] = distance(concepts->center, truth).mean();
    const at::Tensor elsewhere =
        of.unsqueeze(0).ne(mine.unsqueeze(1)) & at.unsqueeze(0).eq(here.unsqueeze(1));
    const auto any = [](const at::Tensor& mask) { return mask.any().item<bool>(); };
    if (any(mine.ne(mine[0])))
        scores["contrastive_accuracy"] = contrastiveAccuracy(predicted, truth, mine).mean();
    if (any(elsewhere))
        scores["l2_other_document"] = (at::cdist(truth, all) * elsewhere).sum() / elsewhere.sum();
    const at::Tensor earlier = of.unsqueeze(0).eq(mine.unsqueeze(1)) & at.unsqueeze(0).lt(here.unsqueeze(1)),
                     similar = likenessToContext(truth, all, earlier), counts = similar.ge(kLeastLikeness);
    if (any(counts))
        scores["paraphrase_ratio"] =
            (likenessToContext(predicted, all, earlier) * counts).sum() / (similar * counts).sum();

    const auto& special = concepts->sizes().special;
    std::vector<std::vector<std::int32_t>> sentences;
    const double exact = exactShare(*concepts, predicted, batch, later, &sentences);
    for (auto& one : sentences)
        if (static_cast<std::int64_t>(one.size()) < concepts->sizes().maxTokens) one.push_back(special.eos);
    std::vector<std::size_t> order(sentences.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const PaddedRows padded = padRows(sentences, order, parts.device(), {special.pad, 0});
    const at::Tensor again = concepts->encode({padded.ids, padded.lengths});
    scores["l2_round_trip"] = distance(again, truth).mean();
    scores["exact_sentences"] = at::scalar_tensor(exact);
    if (parts.quantizer) scores.merge(quantizerScores(parts, documents.rowsOf(documents.vectors), batch));
    return scores;
}

}  // namespace kurve::models::lcm
