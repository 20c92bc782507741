#pragma once

#include <string>

#include "core/trace/trace.h"

namespace kurve::interop {

/// Interactive HTML of a trace, one file: a slider over its steps, tokens shaded by confidence with shapes
/// for their states and declared marks (trace/marks.h), all steps as a map, candidates of a position; keys,
/// print and dark colours. It needs no network and no other file.
[[nodiscard]] std::string tracePlayerHtml(const trace::Trace& trace);

}  // namespace kurve::interop
