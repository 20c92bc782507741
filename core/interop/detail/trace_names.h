#pragma once

#include <string>

#include "core/trace/trace.h"

namespace kurve::interop::detail {

/// given masked new kept flip remask pad.
[[nodiscard]] const char* stateName(std::uint8_t state);
/// Text of a token; empty if the trace does not know it.
[[nodiscard]] std::string tokenText(const trace::Trace& trace, std::uint32_t token);
/// The text of a step: its tokens joined, their ▁ as blanks, without padding.
[[nodiscard]] std::string textOf(const trace::Trace& trace, int step);

}  // namespace kurve::interop::detail
