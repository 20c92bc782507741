#include "views/imgui_host/draw.h"

#include <algorithm>
#include <cfloat>
#include <cmath>

namespace kurve::views {
namespace {

constexpr std::string_view kEllipsis = "\xE2\x80\xA6";  // U+2026

float sizeOf(const ImFont* font) {
    return font->FontSize * ImGui::GetIO().FontGlobalScale;
}

}  // namespace

ImVec2 textSize(const ImFont* font, std::string_view text) {
    return font->CalcTextSizeA(sizeOf(font), FLT_MAX, 0, text.data(), text.data() + text.size());
}

std::string elide(const ImFont* font, std::string_view text, float width) {
    if (textSize(font, text).x <= width) return std::string(text);
    const float available = width - textSize(font, kEllipsis).x;
    const char* rest = nullptr;
    font->CalcTextSizeA(sizeOf(font), std::max(available, 0.0F), 0, text.data(), text.data() + text.size(),
                        &rest);
    const auto length = rest != nullptr ? static_cast<std::size_t>(rest - text.data()) : 0;
    return std::string(text.substr(0, length)) + std::string(kEllipsis);
}

void drawText(ImDrawList& list, const ImFont* font, ImVec2 at, ImU32 colour, std::string_view text,
              float align) {
    const float x = align > 0 ? at.x - align * textSize(font, text).x : at.x;
    list.AddText(font, sizeOf(font), {std::round(x), std::round(at.y)}, colour, text.data(),
                 text.data() + text.size());
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
