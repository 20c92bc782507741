#include "app/engine/requested_metrics.h"

#include <algorithm>
#include <string_view>

#include "app/engine/eval_pairs.h"
#include "app/engine/score_by_run.h"
#include "app/engine/score_outputs.h"
#include "core/base/text.h"
#include "core/metrics/brier_scores.h"
#include "core/metrics/embedding_match.h"
#include "core/metrics/future_perplexity.h"
#include "core/metrics/likelihood_bound.h"
#include "core/train/evaluation.h"
#include "core/train/loss_scores.h"
#include "core/train/multi_token_prediction.h"

namespace kurve::engine {
namespace {

constexpr const char *kExactTextMetrics = "ppl,bits_per_char,distinct-2,entropy,reps_bpe",
                     *kFutureTextMetrics = "future_ppl,future_ppl_geometric,distinct-2,entropy,reps_bpe",
                     *kDrawnTextMetrics = "brier,distinct-2,entropy,reps_bpe";

/// Null for a model's metric.
const metrics::MetricKind* textMetric(const std::string& id) {
    const auto kinds = metrics::metricKinds();
    const auto found =
        std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return kind.id == id; });
    return found != kinds.end() ? &*found : nullptr;
}

/// A metric of several samples would take the references for a second one; embeddings are matched with whole
/// texts.
Status checkInputs(const std::string& id, const RunConfig& config) {
    const metrics::MetricKind* kind = textMetric(id);
    if (kind != nullptr && kind->comparesDraws)
        return requestError("metric.needs_samples",
                            id + " compares samples of the same source, and eval makes one of each")
            .at(id)
            .fix("kurve score " + id + " --hyp SAMPLE-1 --ref SAMPLE-2");
    const bool free = !train::hasReferences(config);
    if (free && kind != nullptr && kind->needsReferences)
        return requestError("metric.no_references", "a text without a source has no reference").at(id);
    if (id == metrics::kEmbeddingF1 && text::isText(config) && !train::rewritesTexts(config))
        return requestError("metric.no_references", "what goes on behind a prompt is no whole text").at(id);
    if (free && kind != nullptr && kind->needsSources)
        return requestError("metric.no_sources", id + " compares an output with its source").at(id);
    return {};
}

}  // namespace

Result<RequestedMetrics> requestedMetrics(const std::string& ids, const RunConfig& config) {
    RequestedMetrics requested;
    for (const auto& id : split(ids, ','))
        if (!id.empty()) requested.ids.push_back(id);
    requested.perplexity = std::erase(requested.ids, metrics::kPerplexity) > 0;
    requested.loss = std::erase(requested.ids, train::kLoss) > 0;
    for (const char* id : {metrics::kNelbo, metrics::kBitsPerCharacter, metrics::kPerplexityBound})
        if (std::erase(requested.ids, id) > 0) requested.bounds.emplace_back(id);
    for (const std::string& id : requested.ids)
        if (metrics::isFuturePerplexity(id)) requested.bounds.push_back(id);
    std::erase_if(requested.ids, metrics::isFuturePerplexity);
    requested.mutualInformation = std::erase(requested.ids, metrics::kMutualInformation) > 0;
    requested.coherence = std::erase(requested.ids, metrics::kCoherence) > 0;
    const bool allBriers = std::erase(requested.ids, metrics::kBrier) > 0;
    for (const std::string& id : metrics::brierIds())
        if (std::erase(requested.ids, id) > 0 || allBriers) requested.briers.push_back(id);
    for (const ScalarSpec& scalar : config.schema().scalars)
        if (constexpr std::string_view kValid = "valid_"; scalar.id.starts_with(kValid))
            if (const std::string id = scalar.id.substr(kValid.size()); std::erase(requested.ids, id) > 0)
                requested.parts.push_back(id);
    const auto has = [&](const char* id) {
        return std::find(requested.ids.begin(), requested.ids.end(), id) != requested.ids.end();
    };
    // Low entropy reveals a misleadingly low gen_ppl: the two are reported together.
    if (has(metrics::kGenPerplexity) && !has("entropy")) requested.ids.emplace_back("entropy");
    for (const auto& id : requested.ids) {
        KURVE_CHECKED(checkInputs(id, config));
        if (id == metrics::kEmbeddingF1 || needsScorer(id)) continue;
        if (const auto known = scoredTexts(id, {{"a b c d e"}, {{5}}}, {"a b c d e"}, {"a b c d e"}); !known)
            return known.error();
    }
    return requested;
}

std::string usualMetrics(const LoadedModel& loaded) {
    if (!loaded.data->texts) return kPairMetrics;
    if (answersPrompts(loaded)) return kDocumentMetrics;
    // An autoencoder writes nothing of its own.
    if (!train::checkPromptKind(loaded.run.config, text::PromptKind::Nothing)) return train::kLoss;
    if (train::MultiTokenPrediction* const several = loaded.model->multiTokenPrediction()) {
        std::string ids = kFutureTextMetrics;
        for (std::int64_t j = several->tokensPerState(); j > 0; --j)
            ids = metrics::futurePerplexityAt(static_cast<std::size_t>(j)) + "," + ids;
        return ids;
    }
    if (loaded.model->likelihood() != nullptr) return kExactTextMetrics;
    return loaded.model->brierDraws() != nullptr ? kDrawnTextMetrics : kTextMetrics;
}

}  // namespace kurve::engine
