#include "views/imgui_host/baked_shapes.h"

#include <algorithm>
#include <cmath>

namespace kurve::views {

namespace {

constexpr float kSmallest = 1, kStep = 0.5F;  // radii in device pixels
constexpr int kSamples = 4;                   // in each direction of a pixel

float radiusOf(int size) {
    return kSmallest + kStep * static_cast<float>(size);
}
/// An even number of pixels, with an empty one on every side.
int sideOf(int size) {
    return 2 * (static_cast<int>(std::ceil(radiusOf(size))) + 1);
}

bool inside(BakedShapes::Kind kind, float x, float y, float radius) {
    if (kind == BakedShapes::Diamond) return std::abs(x) + std::abs(y) <= radius;
    return x * x + y * y <= radius * radius;
}

/// How much of a pixel the shape covers, 0..255; the pixel's corner is given from the shape's centre.
unsigned char coverage(BakedShapes::Kind kind, float left, float top, float radius) {
    int hits = 0;
    for (int i = 0; i < kSamples * kSamples; ++i) {
        const float x = left + (static_cast<float>(i % kSamples) + 0.5F) / kSamples;
        // Staggered, so that no row of samples lies on a diagonal edge.
        const float stagger = i % 2 == 0 ? 0.25F : 0.75F;
        const float y = top + (static_cast<float>(i / kSamples) + stagger) / kSamples;
        hits += inside(kind, x, y, radius) ? 1 : 0;
    }
    return static_cast<unsigned char>(hits * 255 / (kSamples * kSamples));
}

}  // namespace

void BakedShapes::reserve(ImFontAtlas& atlas) {
    for (auto& sizes : sprites_)
        for (int size = 0; size < kSizes; ++size)
            sizes[static_cast<std::size_t>(size)].rectangle =
                atlas.AddCustomRectRegular(sideOf(size), sideOf(size));
}

void BakedShapes::bake(ImFontAtlas& atlas, float ratio) {
    ratio_ = ratio;
    unsigned char* pixels = nullptr;
    int width = 0, height = 0;
    atlas.GetTexDataAsAlpha8(&pixels, &width, &height);
    for (int kind = 0; kind < kKinds; ++kind)
        for (int size = 0; size < kSizes; ++size) {
            Sprite& sprite = sprites_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(size)];
            const ImFontAtlasCustomRect* area = atlas.GetCustomRectByIndex(sprite.rectangle);
            const int side = sideOf(size);
            for (int y = 0; y < side; ++y)
                for (int x = 0; x < side; ++x)
                    pixels[(area->Y + y) * width + area->X + x] =
                        coverage(static_cast<Kind>(kind), static_cast<float>(x - side / 2),
                                 static_cast<float>(y - side / 2), radiusOf(size));
            atlas.CalcCustomRectUV(area, &sprite.uvMin, &sprite.uvMax);
            sprite.half = static_cast<float>(side) / 2 / ratio;
        }
}

void BakedShapes::draw(ImDrawList& list, Kind kind, ImVec2 centre, float radius, ImU32 colour) const {
    const long size = std::max(std::lround((radius * ratio_ - kSmallest) / kStep), 0L);
    if (size >= kSizes) {
        if (kind == Disc) return list.AddCircleFilled(centre, radius, colour);
        return list.AddQuadFilled({centre.x, centre.y - radius}, {centre.x + radius, centre.y},
                                  {centre.x, centre.y + radius}, {centre.x - radius, centre.y}, colour);
    }
    const Sprite& sprite = sprites_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(size)];
    const ImVec2 at{std::round(centre.x * ratio_) / ratio_, std::round(centre.y * ratio_) / ratio_};
    list.PrimReserve(6, 4);
    list.PrimRectUV({at.x - sprite.half, at.y - sprite.half}, {at.x + sprite.half, at.y + sprite.half},
                    sprite.uvMin, sprite.uvMax, colour);
}

std::optional<std::pair<BakedShapes::Kind, float>> BakedShapes::find(ImVec2 uv) const {
    for (int kind = 0; kind < kKinds; ++kind)
        for (int size = 0; size < kSizes; ++size) {
            const Sprite& sprite = sprites_[static_cast<std::size_t>(kind)][static_cast<std::size_t>(size)];
            if (sprite.uvMin.x == uv.x && sprite.uvMin.y == uv.y)
                return std::pair(static_cast<Kind>(kind), radiusOf(size) / ratio_);
        }
    return std::nullopt;
}

}  // namespace kurve::views
