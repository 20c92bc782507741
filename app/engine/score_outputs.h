#pragma once

#include <string>
#include <vector>

#include "app/engine/document_metrics.h"
#include "app/engine/eval_pairs.h"

namespace kurve::engine {

struct EvalOutputs {
    std::vector<std::string> texts;
    std::vector<std::vector<std::int32_t>> tokens;
};

[[nodiscard]] EvalOutputs outputsOf(const train::DecodedSet& set);

/// Errors: metric.*.
Result<metrics::Score> scoredTexts(const std::string& id, const EvalOutputs& outputs,
                                   const std::vector<std::string>& references,
                                   const std::vector<std::string>& sources);

/// The metrics among `ids` that need no scorer, with copy_bleu beside bleu of one language. Errors: metric.*.
Status addScores(const LoadedModel& loaded, const std::vector<std::string>& ids, const EvalPairs& pairs,
                 const EvalOutputs& outputs, const AddScore& add);
/// Those that need one. Errors: metric.*.
Status addScorerMetrics(train::TextScorer& scorer, const std::vector<std::string>& ids,
                        const EvalPairs& pairs, const std::vector<std::string>& outputs, const AddScore& add);

}  // namespace kurve::engine
