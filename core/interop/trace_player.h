#pragma once

#include <string>

#include "core/trace/trace.h"

namespace kurve::interop {

/// One HTML file that plays a denoising: a slider over its steps, tokens shaded by confidence with shapes for
/// what happened to them and for what the trace declares (trace/marks.h), all steps as a map, candidates of a
/// slot; keys, print and dark colours. It needs no network and no other file.
[[nodiscard]] std::string tracePlayerHtml(const trace::Trace& trace);

}  // namespace kurve::interop
