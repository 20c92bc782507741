#include "views/imgui_host/gl_texture.h"

#include <epoxy/gl.h>

#include "core/base/check.h"
#include "views/imgui_host/gl_context.h"

namespace kurve::views {

GlTexture::~GlTexture() {
    if (texture_ == 0 || !context_->makeCurrent()) return;
    glDeleteTextures(1, &texture_);
}

void GlTexture::set(int width, int height, std::span<const ImU32> pixels) {
    KURVE_CHECK(pixels.size() == static_cast<std::size_t>(width) * static_cast<std::size_t>(height),
                "got {} pixels for {}x{}", pixels.size(), width, height);
    if (context_ == nullptr) {
        auto context = GlContext::shared();
        if (!context) return;
        context_ = *context;
    }
    GLint bound = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    if (texture_ == 0) glGenTextures(1, &texture_);
    glBindTexture(GL_TEXTURE_2D, texture_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, width, height, 0, GL_RGBA, GL_UNSIGNED_BYTE, pixels.data());
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
}

ImTextureID GlTexture::id() const {
    return reinterpret_cast<ImTextureID>(static_cast<std::uintptr_t>(texture_));
}

void updateTexture(ImTextureID texture, QPoint at, const QImage& picture) {
    GLint bound = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::uintptr_t>(texture)));
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glTexSubImage2D(GL_TEXTURE_2D, 0, at.x(), at.y(), picture.width(), picture.height(), GL_RGBA,
                    GL_UNSIGNED_BYTE, picture.constBits());
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
}

QImage textureImage(ImTextureID texture) {
    GLint bound = 0, width = 0, height = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(reinterpret_cast<std::uintptr_t>(texture)));
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_WIDTH, &width);
    glGetTexLevelParameteriv(GL_TEXTURE_2D, 0, GL_TEXTURE_HEIGHT, &height);
    QImage image;
    if (width > 0 && height > 0) {
        image = QImage(width, height, QImage::Format_RGBA8888);
        glPixelStorei(GL_PACK_ALIGNMENT, 4);
        glGetTexImage(GL_TEXTURE_2D, 0, GL_RGBA, GL_UNSIGNED_BYTE, image.bits());
    }
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
    return image;
}

}  // namespace kurve::views
