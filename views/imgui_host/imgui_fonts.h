#pragma once

#include <imgui.h>

#include <memory>

#include "views/imgui_host/text_atlas.h"

namespace kurve::views {

/// The faces of a drawn view, for one device pixel ratio.
struct ImGuiFonts {
    std::unique_ptr<TextAtlas> texts;
    const TextFace* text = nullptr;   ///< a little below the interface's text
    const TextFace* small = nullptr;  ///< the interface's small text: axes, captions
    const TextFace* bold = nullptr;
    const TextFace* large = nullptr;  ///< the sentence on the canvas
};

/// The height of a line of `text`, in logical pixels, where the interface's text has this size.
[[nodiscard]] float drawnLine(float pixels);

/// Clears the atlas and prepares it for the interface's font at `pixels` logical pixels times `ratio`. ImGui
/// itself gets its own small bitmap font of Latin letters, with lines of the height of `text`.
ImGuiFonts buildFonts(ImFontAtlas& atlas, float pixels, float ratio);

}  // namespace kurve::views
