#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/config/run_config.h"
#include "core/text/tokenizer.h"
#include "core/train/model_family.h"
#include "core/train/text_scorer.h"

namespace kurve::train {

/// Values of sampler.selection: candidates are scored by the run of sampler.scorer, or by minimum Bayes risk:
/// their mean sentence BLEU with each other, in words (13a).
inline constexpr const char *kPplSelection = "ppl", *kMbrSelection = "bleu-mbr";
/// "sampler.scorer", or the same under another name.
[[nodiscard]] FieldSpec scorerField(std::string key = "sampler.scorer");

/// Orders candidates by their texts.
struct Reranker {
    TextScorer* maybeScorer = nullptr;  ///< of kPplSelection
    bool minimumBayesRisk = false;
    /// False: the family's own order stays.
    [[nodiscard]] bool decides() const { return maybeScorer != nullptr || minimumBayesRisk; }
};
/// By sampler.selection. Errors: sample.scorer (there is no scorer), those of RunResolver::scorer().
Result<Reranker> rerankerFor(RunResolver* maybeResolver, const RunConfig& sampler);

/// Orders every row's candidates by the score, which becomes theirs; equal ones keep their order. `sources`:
/// the rows' texts. `maybeFirst`: the candidate of row 0 that stays first whatever its score.
Status rankCandidates(const Reranker& reranker, std::span<const std::string> sources,
                      const text::Tokenizer& target, std::vector<GeneratedRow>& rows,
                      std::optional<std::int64_t> maybeFirst = std::nullopt);

}  // namespace kurve::train
