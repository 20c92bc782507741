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
    std::int64_t number = 0;  ///< which of the beam: metadata "candidate" of a trace of it
    std::int64_t tokens = 0;  ///< its length, without BOS, EOS and pad
    friend bool operator==(const TextCandidate&, const TextCandidate&) = default;
};

/// [{"output","score","number","pieces"}]; a score that is not finite is null.
[[nodiscard]] nlohmann::json candidatesJson(const std::vector<TextCandidate>& candidates);
/// The texts that a trace was chosen among, its own first and then by falling score (metadata "candidates");
/// empty where there was one only. Malformed entries are skipped.
[[nodiscard]] std::vector<TextCandidate> candidatesOf(const Trace& trace);

}  // namespace kurve::trace
