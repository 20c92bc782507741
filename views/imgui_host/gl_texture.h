#pragma once

#include <imgui.h>

#include <QImage>

#include <cstdint>
#include <memory>
#include <span>

namespace kurve::views {

class GlContext;

/// A small picture on the graphics side, one texel a value, magnified without smoothing: heat maps. Made and
/// replaced inside a widget's draw function (its context is current there); may be destroyed anywhere on the
/// GUI thread.
class GlTexture {
public:
    GlTexture() = default;
    ~GlTexture();
    GlTexture(const GlTexture&) = delete;
    GlTexture& operator=(const GlTexture&) = delete;

    /// pixels: [height, width] as ImU32, top row first.
    void set(int width, int height, std::span<const ImU32> pixels);
    [[nodiscard]] ImTextureID id() const;
    [[nodiscard]] explicit operator bool() const { return texture_ != 0; }

private:
    std::shared_ptr<GlContext> context_;
    std::uint32_t texture_ = 0;
};

/// Replaces a part of a texture: RGBA8888. Inside a widget's frame.
void updateTexture(ImTextureID texture, QPoint at, const QImage& picture);
/// What a texture holds, read back; null if it cannot be. Inside a widget's frame.
[[nodiscard]] QImage textureImage(ImTextureID texture);

}  // namespace kurve::views
