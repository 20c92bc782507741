#pragma once

#include <imgui.h>

#include "views/imgui_host/baked_shapes.h"

namespace kurve::views {

/// The faces and small shapes of a drawn view, rasterised for one device pixel ratio.
struct ImGuiFonts {
    ImFont* text = nullptr;   ///< the application's text size
    ImFont* small = nullptr;  ///< 0.85 of it: axes, captions
    ImFont* bold = nullptr;
    ImFont* large = nullptr;  ///< 1.3 of it: the sentence on the canvas
    BakedShapes shapes;
};

/// Clears the atlas and fills it with DejaVu (Latin, Greek, Cyrillic, punctuation, arrows, mathematics,
/// shapes) at `pixels` logical pixels times `ratio`, hinted by FreeType. Without DejaVu on the system:
/// ImGui's own bitmap font.
ImGuiFonts buildFonts(ImFontAtlas& atlas, float pixels, float ratio);

}  // namespace kurve::views
