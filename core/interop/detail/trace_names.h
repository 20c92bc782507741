#pragma once

#include <string>

#include "core/trace/trace.h"

namespace kurve::interop::detail {

/// given masked new kept flip remask pad.
[[nodiscard]] const char* stateName(std::uint8_t state);
/// Text of a token; empty if the trace does not know it.
[[nodiscard]] std::string pieceOf(const trace::Trace& trace, std::uint32_t token);
/// What the slots of a step read like: pieces joined, their ▁ as blanks, without what pads.
[[nodiscard]] std::string textOf(const trace::Trace& trace, int step);

}  // namespace kurve::interop::detail
