#pragma once

#include <string>
#include <vector>

#include "app/engine/run_access.h"
#include "core/train/likelihood.h"

namespace kurve::engine {

class ControlLink;

struct EvalRequest {
    std::string run, scorer, checkpoint = "last", split = "valid", metrics;
    std::int64_t limit = 0;
    bool save = false, ownSampler = false;
    bool twoSamples = false;  ///< of brier, as published
    std::int64_t brierDraws = 16, brierEvery = 0;
};

/// The first pairs of a split: as texts, and as a model takes them. References are text::referenceText() but
/// where behindPrompts() cuts them first. A text that is written again is its own source.
struct EvalPairs {
    std::vector<std::string> sources, references;
    train::LikelihoodRequest ids;
    bool behindPrompts = false;  ///< the sources are prompts, the references what stands behind them
};

/// Errors: eval.no_split, io.*.
Result<EvalPairs> pairsOf(const LoadedModel& loaded, const EvalRequest& request);
/// Whether eval scores what the model writes behind a prompt of each text or document.
[[nodiscard]] bool answersPrompts(const LoadedModel& loaded);
/// Texts and documents as prompts (train::samplePrompt()) and what stands behind each, in one line.
[[nodiscard]] EvalPairs behindPrompts(const text::Dataset& data, const EvalPairs& texts);

/// What the model writes for them; of a text or document only what is behind its prompt. Errors: those of
/// train::decode().
Result<train::DecodedSet> decodedPairs(const CommonOptions& common, const LoadedModel& loaded,
                                       const EvalPairs& pairs, ControlLink& link);

}  // namespace kurve::engine
