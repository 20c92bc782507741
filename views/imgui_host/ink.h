#pragma once

#include <imgui.h>

#include <array>

#include "views/common/theme/theme.h"

namespace kurve::views {

/// The theme's colours as ImGui takes them, and what drawn views need beyond: a single-hue ramp of even
/// perceptual steps for magnitudes, Okabe-Ito's colours for categories. Categories always carry a shape as
/// well.
struct Ink {
    ImU32 paper = 0;                      ///< background
    ImU32 raised = 0;                     ///< chips, hovered things
    ImU32 text = 0, soft = 0, faint = 0;  ///< text, secondary text, hints
    ImU32 line = 0, grid = 0;             ///< frames, grid lines
    ImU32 accent = 0;                     ///< focus, the series that matters
    ImU32 selection = 0;                  ///< selected things
    ImU32 playhead = 0;                   ///< strongest contrast to the ramp
    ImU32 change = 0;                     ///< flips and edits (vermilion)
    ImU32 note = 0;                       ///< amber: a caution
    ImU32 secondary = 0;                  ///< a second category (bluish green)
    std::array<ImU32, 256> ramp{};        ///< 0 = near the paper, 255 = strongest

    static Ink fromTheme(const Theme& theme);
    [[nodiscard]] ImU32 at(float value) const;  ///< ramp at 0..1, clamped; NaN is the paper
    /// Text colour that can be read on the ramp at this value.
    [[nodiscard]] ImU32 onRamp(float value) const;
};

[[nodiscard]] QColor toQt(ImU32 colour);
/// a + (b - a) w for every channel.
[[nodiscard]] ImU32 mix(ImU32 a, ImU32 b, float w);
[[nodiscard]] ImU32 withAlpha(ImU32 colour, float alpha);
/// A colour of the OKLCH space (lightness 0..1, chroma, hue in degrees), clipped to sRGB.
[[nodiscard]] ImU32 oklch(float lightness, float chroma, float hue);
/// Perceived lightness (OKLab L), 0..1.
[[nodiscard]] float lightness(ImU32 colour);

}  // namespace kurve::views
