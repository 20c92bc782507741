#pragma once

#include <string>

#include "core/trace/trace.h"

namespace kurve::interop::detail {

/// given masked new kept flip remask pad.
[[nodiscard]] const char* stateName(trace::TokenState state);
/// The text of a step: its tokens joined, their ▁ as blanks, without padding; sentences with a blank between
/// them.
[[nodiscard]] std::string textOf(const trace::Trace& trace, int step);

}  // namespace kurve::interop::detail
