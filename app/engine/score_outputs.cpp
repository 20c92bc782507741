#include "app/engine/score_outputs.h"

#include "app/engine/score_by_run.h"
#include "core/metrics/embedding_match.h"
#include "core/metrics/metric.h"
#include "core/text/reference_text.h"
#include "core/train/evaluation.h"

namespace kurve::engine {
namespace {

/// By the model's own table (metrics::kEmbeddingF1Doc). Errors: metric.no_vectors.
Result<metrics::Score> embeddingMatch(const LoadedModel& loaded, const EvalOutputs& outputs,
                                      const train::LikelihoodRequest& ids) {
    const at::Tensor table = loaded.model->tokenEmbeddings();
    if (!table.defined())
        return requestError("metric.no_vectors",
                            "the family " + loaded.run.config.family() + " has no token embeddings")
            .at(metrics::kEmbeddingF1);
    const at::Tensor host = table.to(at::kCPU, at::kFloat).contiguous();
    std::vector<std::vector<std::int32_t>> references;
    for (const auto& target : ids.targets) references.emplace_back(target.begin() + 1, target.end() - 1);
    return metrics::embeddingF1({outputs.tokens, references},
                                {{host.const_data_ptr<float>(), static_cast<std::size_t>(host.numel())},
                                 static_cast<std::size_t>(host.size(1))});
}

}  // namespace

EvalOutputs outputsOf(const train::DecodedSet& set) {
    EvalOutputs outputs;
    for (const auto& row : set.rows) {
        outputs.texts.push_back(row.output);
        outputs.tokens.push_back(row.ids);
    }
    return outputs;
}

Result<metrics::Score> scoredTexts(const std::string& id, const EvalOutputs& outputs,
                                   const std::vector<std::string>& references,
                                   const std::vector<std::string>& sources) {
    return metrics::score(id, {outputs.texts, references, {}, {}, outputs.tokens, sources});
}

Status addScores(const LoadedModel& loaded, const std::vector<std::string>& ids, const EvalPairs& pairs,
                 const EvalOutputs& outputs, const AddScore& add) {
    const bool free = !train::hasReferences(loaded.run.config);
    std::vector<std::string> sources = pairs.sources;
    for (auto& text : sources) text = text::referenceText(*loaded.data->target, text);
    for (const auto& id : ids) {
        if (needsScorer(id)) continue;
        const std::vector<std::string> none;
        KURVE_TRY(const metrics::Score score,
                  id == metrics::kEmbeddingF1
                      ? embeddingMatch(loaded, outputs, pairs.ids)
                      : scoredTexts(id, outputs, free ? none : pairs.references, sources));
        add(id, score);
        if (id != "bleu" || !loaded.data->sameLanguage) continue;
        KURVE_TRY(const metrics::Score copy, scoredTexts(id, {sources, {}}, pairs.references, sources));
        add("copy_bleu", copy);
    }
    return {};
}

Status addScorerMetrics(train::TextScorer& scorer, const std::vector<std::string>& ids,
                        const EvalPairs& pairs, const std::vector<std::string>& outputs,
                        const AddScore& add) {
    std::vector<train::ScoredPair> written, ideal;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        written.push_back({pairs.sources[i], outputs[i]});
        ideal.push_back({pairs.sources[i], pairs.references[i]});
    }
    const auto readAll = [&](const std::vector<train::ScoredPair>& texts) {
        return pairs.behindPrompts ? readBehindPrompts(scorer, texts, true) : scorer.read(texts, true);
    };
    KURVE_TRY(const train::ScoredTexts read, readAll(written));
    KURVE_TRY(const train::ScoredTexts references, readAll(ideal));
    for (const auto& id : ids) {
        if (!needsScorer(id)) continue;
        KURVE_TRY(const metrics::Score score, scoreByRun(id, scorer, read, references));
        add(id, score);
    }
    return {};
}

}  // namespace kurve::engine
