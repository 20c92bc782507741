#pragma once

#include <string>

#include "core/trace/trace.h"

namespace kurve::interop {

/// Timeline figure of a trace for print (black on white, whatever the screen's theme): positions down, steps
/// across, shade = confidence, shapes for the positions' states and declared marks (trace/marks.h);
/// below it the text at up to eight steps, and a caption that names run, checkpoint, seed
/// and prompt. UTF-8 SVG 1.1, no script, no other file.
[[nodiscard]] std::string traceSvg(const trace::Trace& trace);

}  // namespace kurve::interop
