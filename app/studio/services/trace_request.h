#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "core/trace/trace.h"
#include "views/common/services/prompt_request.h"

namespace kurve::studio {

/// The request that made a trace, from its metadata: the same weights, settings and seed, and for a branch
/// its parent with the same edits.
[[nodiscard]] views::PromptRequest requestOf(const trace::Trace& trace);

/// The message to the engine: "branch" for a request that has one, else "trace".
struct EngineQuestion {
    std::string type;
    nlohmann::json body;
};
[[nodiscard]] EngineQuestion questionOf(const views::PromptRequest& request);

}  // namespace kurve::studio
