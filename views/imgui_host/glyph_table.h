#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "views/imgui_host/imgui_fonts.h"

namespace kurve::views {

/// Which character of which face stands at a place of the font's texture: what a triangle that was drawn with
/// it says. Good for as long as the fonts are.
class GlyphTable {
public:
    explicit GlyphTable(const ImGuiFonts& fonts);
    struct Found {
        const ImFont* font = nullptr;
        const ImFontGlyph* glyph = nullptr;
    };
    /// By the top left corner of the glyph in the texture; nothing if no glyph begins there.
    [[nodiscard]] std::optional<Found> find(ImVec2 uv) const;

private:
    std::unordered_map<std::uint64_t, Found> glyphs_;
};

}  // namespace kurve::views
