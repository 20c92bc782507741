#pragma once

#include "models/calm/calm_model.h"

namespace kurve::models::calm {

/// Writes texts chunk by chunk (Shao et al. 2025, section 5). What is left of a prompt behind its last whole
/// chunk constrains the first chunk that is written: of its draws those count that begin so; where none does,
/// one is made to. A text ends with a chunk that holds </s>, <s> or <pad>, and is cut there. Statistics of a
/// candidate: "fell_back" (chunks of which no vector was drawn often enough for the temperature, algorithm
/// batch), "draws_distinct" (share of a chunk's draws that were made), "draws" (a chunk), "budget_spent" and
/// "prompt_forced" (texts). Edits: a
/// chunk's text (force), other draws of it (noise), other settings from a chunk on (sampler). Errors:
/// sample.too_long, prompt.unsupported, sampler.temperature; of edits branch.position, branch.token.
Result<train::Generation> generateWith(CalmParts& parts, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::TraceSink* maybeTrace);

}  // namespace kurve::models::calm
