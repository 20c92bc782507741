#pragma once

#include <nlohmann/json.hpp>

#include "core/trace/trace.h"
#include "views/prompt/prompt_request.h"

namespace kurve::studio {

/// The request that made a recording, as its metadata tell: the same weights, settings and seed, and for a
/// branch its parent with the same edits.
[[nodiscard]] views::PromptRequest requestOf(const trace::Trace& trace);

/// The blocks that a request wants recorded, and the body of the engine's message "branch"; the request has a
/// branch.
[[nodiscard]] nlohmann::json blocksOf(const views::PromptRequest& request);
[[nodiscard]] nlohmann::json branchBody(const views::PromptRequest& request);

}  // namespace kurve::studio
