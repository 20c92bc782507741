#include "views/imgui_host/draw.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {

ImVec2 textSize(const TextFace* font, std::string_view text) {
    return font->size(text);
}

std::string elide(const TextFace* font, std::string_view text, float width) {
    return font->atlas->elided(*font, text, width);
}

void drawText(ImDrawList& list, const TextFace* font, ImVec2 at, ImU32 colour, std::string_view text,
              float align) {
    if (align > 0) at.x -= align * textSize(font, text).x;
    font->atlas->draw(list, *font, at, colour, text);
}

void drawHeading(ImDrawList& list, const ImGuiFonts& fonts, const Box& area, const TintedText& title,
                 const TintedText& note) {
    drawText(list, fonts.bold, area.min(), title.colour, title.text);
    const float skip = textSize(fonts.bold, title.text).x + 0.8F * ImGui::GetFontSize();
    const float drop = static_cast<float>(fonts.bold->ascent - fonts.small->ascent) / fonts.texts->ratio();
    drawText(list, fonts.small, {area.x + skip, area.y + drop}, note.colour,
             elide(fonts.small, note.text, area.w - skip));
}

void drawTipLine(const TextFace* font, ImU32 colour, std::string_view text) {
    drawText(*ImGui::GetWindowDrawList(), font, ImGui::GetCursorScreenPos(), colour, text);
    ImGui::Dummy(textSize(font, text));
}

void drawDashed(ImDrawList& list, std::span<const ImVec2> points, ImU32 colour, float thickness, float dash) {
    float offset = 0;  // how far into the on-off pattern the previous segment ended
    for (std::size_t i = 1; i < points.size(); ++i) {
        const ImVec2 a = points[i - 1], b = points[i];
        const float length = std::hypot(b.x - a.x, b.y - a.y);
        if (length <= 0) continue;
        const auto at = [&](float s) {
            return ImVec2(a.x + (b.x - a.x) * s / length, a.y + (b.y - a.y) * s / length);
        };
        for (float s = -offset; s < length; s += 2 * dash)
            if (s + dash > 0)
                list.AddLine(at(std::max(s, 0.0F)), at(std::min(s + dash, length)), colour, thickness);
        offset = std::fmod(offset + length, 2 * dash);
    }
}

void drawSeries(ImDrawList& list, const Box& box, std::span<const float> values, float low, float high,
                ImU32 colour, float thickness) {
    if (values.size() < 2 || !(high > low)) return;
    const float step = box.w / static_cast<float>(values.size() - 1);
    ImVec2 previous;
    bool drawn = false;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const float unit = std::clamp((values[i] - low) / (high - low), 0.0F, 1.0F);
        const ImVec2 p{box.x + step * static_cast<float>(i), box.bottom() - unit * box.h};
        const bool present = !std::isnan(values[i]);
        if (drawn && present) list.AddLine(previous, p, colour, thickness);
        previous = p;
        drawn = present;
    }
}

void drawDiamond(ImDrawList& list, ImVec2 c, float r, ImU32 colour) {
    list.AddQuadFilled({c.x, c.y - r}, {c.x + r, c.y}, {c.x, c.y + r}, {c.x - r, c.y}, colour);
}

}  // namespace kurve::views
