#include "views/imgui_host/ink.h"

#include <QColor>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace kurve::views {
namespace {

ImU32 fromQt(const QColor& c) {
    return IM_COL32(c.red(), c.green(), c.blue(), 255);
}

float toSrgb(float linear) {
    linear = std::clamp(linear, 0.0F, 1.0F);
    return linear <= 0.0031308F ? 12.92F * linear : 1.055F * std::pow(linear, 1.0F / 2.4F) - 0.055F;
}

float toLinear(float srgb) {
    return srgb <= 0.04045F ? srgb / 12.92F : std::pow((srgb + 0.055F) / 1.055F, 2.4F);
}

float channel(ImU32 colour, int shift) {
    return static_cast<float>((colour >> shift) & 0xFFU) / 255.0F;
}

std::array<ImU32, 256> makeRamp(bool dark) {
    std::array<ImU32, 256> ramp{};
    for (std::size_t i = 0; i < ramp.size(); ++i) {
        const float v = static_cast<float>(i) / 255.0F;
        // Lightness runs evenly; chroma swells in the middle, where sRGB has room for it.
        const float chroma = 0.02F + 0.125F * std::sin(std::numbers::pi_v<float> * (0.06F + 0.72F * v));
        ramp[i] = dark ? oklch(0.26F + 0.62F * v, chroma, 248.0F) : oklch(0.965F - 0.60F * v, chroma, 252.0F);
    }
    return ramp;
}

}  // namespace

QColor toQt(ImU32 colour) {
    const auto channel = [colour](int shift) { return static_cast<int>(colour >> shift & 0xFFU); };
    return {channel(IM_COL32_R_SHIFT), channel(IM_COL32_G_SHIFT), channel(IM_COL32_B_SHIFT),
            channel(IM_COL32_A_SHIFT)};
}

ImU32 mix(ImU32 a, ImU32 b, float w) {
    ImU32 out = 0;
    for (int shift = 0; shift < 32; shift += 8) {
        const float value = 255.0F * (channel(a, shift) + (channel(b, shift) - channel(a, shift)) * w);
        out |= static_cast<ImU32>(std::lround(std::clamp(value, 0.0F, 255.0F))) << shift;
    }
    return out;
}

ImU32 withAlpha(ImU32 colour, float alpha) {
    return (colour & ~IM_COL32_A_MASK) |
           (static_cast<ImU32>(std::lround(std::clamp(alpha, 0.0F, 1.0F) * 255.0F)) << IM_COL32_A_SHIFT);
}

ImU32 oklch(float lightness, float chroma, float hue) {
    const float angle = hue * std::numbers::pi_v<float> / 180.0F;
    const float a = chroma * std::cos(angle), b = chroma * std::sin(angle);
    const auto cube = [](float x) { return x * x * x; };
    const float l = cube(lightness + 0.3963377774F * a + 0.2158037573F * b);
    const float m = cube(lightness - 0.1055613458F * a - 0.0638541728F * b);
    const float s = cube(lightness - 0.0894841775F * a - 1.2914855480F * b);
    const float red = toSrgb(4.0767416621F * l - 3.3077115913F * m + 0.2309699292F * s);
    const float green = toSrgb(-1.2684380046F * l + 2.6097574011F * m - 0.3413193965F * s);
    const float blue = toSrgb(-0.0041960863F * l - 0.7034186147F * m + 1.7076147010F * s);
    return ImGui::ColorConvertFloat4ToU32(ImVec4(red, green, blue, 1.0F));
}

float lightness(ImU32 colour) {
    const float r = toLinear(channel(colour, IM_COL32_R_SHIFT));
    const float g = toLinear(channel(colour, IM_COL32_G_SHIFT));
    const float b = toLinear(channel(colour, IM_COL32_B_SHIFT));
    const float l = std::cbrt(0.4122214708F * r + 0.5363325363F * g + 0.0514459929F * b);
    const float m = std::cbrt(0.2119034982F * r + 0.6806995451F * g + 0.1073969566F * b);
    const float s = std::cbrt(0.0883024619F * r + 0.2817188376F * g + 0.6299787005F * b);
    return 0.2104542553F * l + 0.7936177850F * m - 0.0040720468F * s;
}

Ink Ink::fromTheme(const Theme& theme) {
    Ink ink;
    ink.paper = fromQt(theme.surface);
    ink.raised = fromQt(theme.raised);
    ink.text = fromQt(theme.text);
    ink.soft = fromQt(theme.muted);
    ink.faint = fromQt(theme.faint);
    ink.line = fromQt(theme.border);
    ink.grid = fromQt(theme.grid);
    ink.accent = fromQt(theme.accent);
    ink.selection = fromQt(theme.selection);
    ink.playhead = theme.dark ? IM_COL32(255, 255, 255, 255) : IM_COL32(16, 20, 28, 255);
    ink.change = theme.dark ? IM_COL32(255, 140, 66, 255) : IM_COL32(213, 94, 0, 255);
    ink.note = fromQt(theme.warn);
    ink.secondary = fromQt(theme.good);
    ink.ramp = makeRamp(theme.dark);
    return ink;
}

ImU32 Ink::at(float value) const {
    if (std::isnan(value)) return paper;
    return ramp[static_cast<std::size_t>(std::lround(std::clamp(value, 0.0F, 1.0F) * 255.0F))];
}

ImU32 Ink::onRamp(float value) const {
    return lightness(at(value)) > 0.62F ? IM_COL32(16, 20, 28, 255) : IM_COL32(248, 250, 255, 255);
}

}  // namespace kurve::views
