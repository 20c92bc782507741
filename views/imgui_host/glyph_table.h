#pragma once

#include <imgui.h>

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "views/imgui_host/imgui_fonts.h"

namespace kurve::views {

/// The character and face at a position of the font's texture: the glyph of a textured triangle. Valid as
/// long as the fonts are.
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
