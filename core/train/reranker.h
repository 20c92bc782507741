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

/// The value of sampler.selection that has candidates scored by the run of sampler.scorer.
inline constexpr const char* kPplSelection = "ppl";
/// "sampler.scorer", or the same under another name.
[[nodiscard]] FieldSpec scorerField(std::string key = "sampler.scorer");

/// The run that orders the candidates (sampler.selection = "ppl"); null if the family's own selector decides.
/// Errors: sample.scorer (there is no scorer), those of RunResolver::scorer().
Result<TextScorer*> scorerFor(RunResolver* maybeResolver, const RunConfig& sampler);

/// Orders every row's candidates by the scorer's score, which becomes theirs; equal ones keep their order.
/// `sources`: the rows' texts. `maybeFirst`: the candidate of row 0 that stays first whatever its score.
Status rankCandidates(TextScorer& scorer, std::span<const std::string> sources, const text::Tokenizer& target,
                      std::vector<GeneratedRow>& rows, std::optional<std::int64_t> maybeFirst = std::nullopt);

}  // namespace kurve::train
