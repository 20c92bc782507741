#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/trace/trace.h"
#include "views/prompt/prompt_request.h"

namespace kurve::studio {

/// The request that made a recording, as its metadata tell: the same weights, settings and seed, and for a
/// branch its parent with the same edits.
[[nodiscard]] views::PromptRequest requestOf(const trace::Trace& trace);

/// What the engine is asked (its messages "branch", of a request that has one, and "trace").
struct EngineQuestion {
    std::string type;
    nlohmann::json body;
};
[[nodiscard]] EngineQuestion questionOf(const views::PromptRequest& request);

}  // namespace kurve::studio
