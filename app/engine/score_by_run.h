#pragma once

#include <span>
#include <string>

#include "app/engine/run_access.h"
#include "core/metrics/scorer_metrics.h"
#include "core/train/text_scorer.h"

namespace kurve::engine {

[[nodiscard]] bool needsScorer(const std::string& metric);

/// The scorer of `scored`'s outputs: the run `requested` (NAME or NAME@CHECKPOINT, --scorer), or if that is
/// empty the sampler.scorer of `scored`. Lives as long as `scored`. Errors: metric.no_scorer,
/// scorer.no_source, those of RunResolver::scorer().
Result<train::TextScorer*> metricScorer(const LoadedModel& scored, const std::string& requested);

/// What the scorer reads of texts behind prompts (the pairs' sources): each with its prompt before it, whose
/// tokens are not among the probabilities; `state` is that of both.
Result<train::ScoredTexts> readBehindPrompts(train::TextScorer& scorer,
                                             std::span<const train::ScoredPair> pairs, bool states);

/// A scorer metric of outputs: gen_ppl or mauve. `references` are used for mauve alone. The signature names
/// the scorer; n counts what it could read. Errors: metric.*.
Result<metrics::Score> scoreByRun(const std::string& metric, const train::TextScorer& scorer,
                                  const train::ScoredTexts& outputs, const train::ScoredTexts& references);

}  // namespace kurve::engine
