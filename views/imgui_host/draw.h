#pragma once

#include <imgui.h>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "views/imgui_host/imgui_fonts.h"

namespace kurve::views {

/// A rectangle in pixels.
struct Box {
    float x = 0, y = 0, w = 0, h = 0;
    [[nodiscard]] float right() const { return x + w; }
    [[nodiscard]] float bottom() const { return y + h; }
    [[nodiscard]] ImVec2 min() const { return {x, y}; }
    [[nodiscard]] ImVec2 max() const { return {x + w, y + h}; }
    [[nodiscard]] bool contains(ImVec2 p) const {
        return p.x >= x && p.x < right() && p.y >= y && p.y < bottom();
    }
    [[nodiscard]] Box inset(float d) const { return {x + d, y + d, w - 2 * d, h - 2 * d}; }
};

/// Text of a face in logical pixels.
[[nodiscard]] ImVec2 textSize(const TextFace* font, std::string_view text);
/// The text, shortened with "…" where it is wider than `width`.
[[nodiscard]] std::string elide(const TextFace* font, std::string_view text, float width);

/// Draws text of a face at a point; `align` 0 = left, 0.5 = centred, 1 = right of x; y is the top.
void drawText(ImDrawList& list, const TextFace* font, ImVec2 at, ImU32 colour, std::string_view text,
              float align = 0);
struct TintedText {
    std::string_view text;
    ImU32 colour;
};
/// A bold title and a small note behind it on the same base line, elided at the end of the area.
void drawHeading(ImDrawList& list, const ImGuiFonts& fonts, const Box& area, const TintedText& title,
                 const TintedText& note);
/// A line of a tooltip.
void drawTipLine(const TextFace* font, ImU32 colour, std::string_view text);
void drawDashed(ImDrawList& list, std::span<const ImVec2> points, ImU32 colour, float thickness, float dash);
/// A line through `values` over equal steps, scaled to [low, high]; NaN leaves a gap.
void drawSeries(ImDrawList& list, const Box& box, std::span<const float> values, float low, float high,
                ImU32 colour, float thickness);
/// Shapes that carry a category beside its colour, centred, `r` = half their size.
void drawDiamond(ImDrawList& list, ImVec2 centre, float r, ImU32 colour);

}  // namespace kurve::views
