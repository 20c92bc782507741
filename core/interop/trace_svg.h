#pragma once

#include <string>

#include "core/trace/trace.h"

namespace kurve::interop {

/// One denoising as a vector picture for a page (black on white, whatever the screen's theme): slots down,
/// steps across, shade = confidence, a shape for what happened to a slot and for what the trace declares
/// (trace/marks.h); below it the text at up to eight steps, and a caption that names run, checkpoint, seed
/// and prompt. UTF-8 SVG 1.1, no script, no other file.
[[nodiscard]] std::string traceSvg(const trace::Trace& trace);

}  // namespace kurve::interop
