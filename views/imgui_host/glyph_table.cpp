#include "views/imgui_host/glyph_table.h"

#include <bit>

namespace kurve::views {
namespace {

std::uint64_t keyOf(float u, float v) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(u)} << 32U | std::bit_cast<std::uint32_t>(v);
}

}  // namespace

GlyphTable::GlyphTable(const ImGuiFonts& fonts) {
    for (const ImFont* font : {fonts.text, fonts.small, fonts.bold, fonts.large})
        for (const ImFontGlyph& glyph : font->Glyphs)
            glyphs_.try_emplace(keyOf(glyph.U0, glyph.V0), Found{font, &glyph});
}

std::optional<GlyphTable::Found> GlyphTable::find(ImVec2 uv) const {
    const auto found = glyphs_.find(keyOf(uv.x, uv.y));
    if (found == glyphs_.end()) return std::nullopt;
    return found->second;
}

}  // namespace kurve::views
