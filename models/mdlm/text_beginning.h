#pragma once

#include "models/mdlm/generator.h"
#include "models/mdlm/masked_text.h"

namespace kurve::models::mdlm {

/// The texts of a request before the first step: sources and templates are given, lengths drawn. `length`:
/// that of open texts, 0 as drawn or trained. Errors: sample.too_long, sample.length.
Result<std::vector<MaskedText>> beginTexts(const TextGenerator& generator,
                                           const train::GenerateRequest& request, std::int64_t length);

}  // namespace kurve::models::mdlm
