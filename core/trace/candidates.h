#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::trace {

/// One of the texts that a sampler chose among.
struct TextCandidate {
    std::string text;
    double score = 0;         ///< the selector's; not finite: it could not read this one
    std::int64_t number = 0;  ///< which of the beam: what metadata "candidate" says of a recording of it
    std::int64_t pieces = 0;  ///< its length, without BOS, EOS and pad
    friend bool operator==(const TextCandidate&, const TextCandidate&) = default;
};

/// [{"output","score","number","pieces"}]; a score that is not finite is null.
[[nodiscard]] nlohmann::json candidatesJson(const std::vector<TextCandidate>& candidates);
/// The texts that a recording was chosen among, its own first and then by falling score (metadata
/// "candidates"); empty where there was one only, or the recording is of a version that kept none. What is
/// none is left out.
[[nodiscard]] std::vector<TextCandidate> candidatesOf(const Trace& trace);

}  // namespace kurve::trace
