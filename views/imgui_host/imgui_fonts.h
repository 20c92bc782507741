#pragma once

#include <imgui.h>

#include "views/imgui_host/baked_shapes.h"

namespace kurve::views {

/// The faces and small shapes of a drawn view, rasterised for one device pixel ratio.
struct ImGuiFonts {
    ImFont* text = nullptr;   ///< a little below the interface's text
    ImFont* small = nullptr;  ///< the interface's small text: axes, captions
    ImFont* bold = nullptr;
    ImFont* large = nullptr;  ///< the sentence on the canvas
    BakedShapes shapes;
};

/// The height of a line of `text`, in logical pixels, where the interface's text has this size.
[[nodiscard]] float drawnLine(float pixels);

/// Clears the atlas and fills it with DejaVu (Latin, Greek, Cyrillic, punctuation, arrows, mathematics,
/// shapes) at `pixels` logical pixels times `ratio`, hinted by FreeType. Without DejaVu on the system:
/// ImGui's own bitmap font.
ImGuiFonts buildFonts(ImFontAtlas& atlas, float pixels, float ratio);

}  // namespace kurve::views
