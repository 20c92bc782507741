#include "views/imgui_host/gl_target.h"

#include <epoxy/gl.h>

#include <cstring>

#include "views/imgui_host/gl_context.h"

namespace kurve::views {

GlTarget::~GlTarget() {
    if (framebuffer_ == 0 || !context_->makeCurrent()) return;
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteRenderbuffers(1, &colour_);
}

bool GlTarget::bind(const QSize& pixels) {
    if (framebuffer_ == 0) {
        glGenFramebuffers(1, &framebuffer_);
        glGenRenderbuffers(1, &colour_);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    if (pixels != size_) {
        glBindRenderbuffer(GL_RENDERBUFFER, colour_);
        glRenderbufferStorage(GL_RENDERBUFFER, GL_RGBA8, pixels.width(), pixels.height());
        glFramebufferRenderbuffer(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_RENDERBUFFER, colour_);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
        size_ = pixels;
    }
    glViewport(0, 0, pixels.width(), pixels.height());
    glDisable(GL_SCISSOR_TEST);
    return true;
}

bool GlTarget::begin(const QSize& pixels, QRgb clearColour) {
    if (!bind(pixels)) return false;
    const auto channel = [](int value) { return static_cast<float>(value) / 255.0F; };
    glClearColor(channel(qRed(clearColour)), channel(qGreen(clearColour)), channel(qBlue(clearColour)), 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
    return true;
}

bool GlTarget::beginOver(const GlTarget& backdrop) {
    if (!bind(backdrop.size_)) return false;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, backdrop.framebuffer_);
    glBlitFramebuffer(0, 0, size_.width(), size_.height(), 0, 0, size_.width(), size_.height(),
                      GL_COLOR_BUFFER_BIT, GL_NEAREST);
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    return true;
}

void GlTarget::readInto(QImage& picture) {
    const bool inverts = context_->invertsRows();
    if (picture.size() != size_) picture = QImage(size_, QImage::Format_RGB32);
    if (!inverts && upsideDown_.size() != size_) upsideDown_ = QImage(size_, QImage::Format_RGB32);
    if (inverts) glPixelStorei(GL_PACK_INVERT_MESA, GL_TRUE);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glReadPixels(0, 0, size_.width(), size_.height(), GL_BGRA, GL_UNSIGNED_INT_8_8_8_8_REV,
                 (inverts ? picture : upsideDown_).bits());
    if (inverts) {
        glPixelStorei(GL_PACK_INVERT_MESA, GL_FALSE);
        return;
    }
    const auto bytes = static_cast<std::size_t>(picture.bytesPerLine());
    for (int row = 0; row < size_.height(); ++row)
        std::memcpy(picture.scanLine(row), upsideDown_.constScanLine(size_.height() - 1 - row), bytes);
}

}  // namespace kurve::views
