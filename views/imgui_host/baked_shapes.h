#pragma once

#include <imgui.h>

#include <array>
#include <optional>
#include <utility>

namespace kurve::views {

/// Small filled shapes baked into the font's texture in many sizes: one costs two triangles instead of
/// dozens, which is what software rendering pays for. Their positions are rounded to device pixels.
class BakedShapes {
public:
    enum Kind : unsigned char { Disc, Diamond };
    /// Before the atlas is built: reserves space in it.
    void reserve(ImFontAtlas& atlas);
    /// After it was built: draws the shapes into its pixels, for a device pixel ratio.
    void bake(ImFontAtlas& atlas, float ratio);
    /// `radius`: half the size. Sizes beyond the largest baked one are drawn as polygons.
    void draw(ImDrawList& list, Kind kind, ImVec2 centre, float radius, ImU32 colour) const;

    /// The shape and its radius whose picture begins here in the texture.
    [[nodiscard]] std::optional<std::pair<Kind, float>> find(ImVec2 uv) const;

private:
    static constexpr int kKinds = 2, kSizes = 31;
    struct Sprite {
        int rectangle = -1;  ///< its id in the atlas
        float half = 0;      ///< half the side in logical pixels
        ImVec2 uvMin, uvMax;
    };
    std::array<std::array<Sprite, kSizes>, kKinds> sprites_{};
    float ratio_ = 1;
};

}  // namespace kurve::views
