#include "views/imgui_host/gl_target.h"

#include <epoxy/gl.h>

#include <cstring>

#include "views/imgui_host/gl_context.h"

namespace kurve::views {

namespace {
// What QImage::Format_RGB32 holds. A texture that is made of it keeps it, and reading is a copy; with a
// driver's own choice for GL_RGBA8 every pixel is turned round, which takes several milliseconds for a
// window.
constexpr GLenum kFormat = GL_BGRA, kType = GL_UNSIGNED_INT_8_8_8_8_REV;
}  // namespace

GlTarget::~GlTarget() {
    if (framebuffer_ == 0 || !context_->makeCurrent()) return;
    glDeleteFramebuffers(1, &framebuffer_);
    glDeleteTextures(1, &colour_);
}

bool GlTarget::bind(const QSize& pixels) {
    if (framebuffer_ == 0) {
        glGenFramebuffers(1, &framebuffer_);
        glGenTextures(1, &colour_);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    if (pixels != size_) {
        allocate(pixels);
        if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) return false;
        size_ = pixels;
    }
    glViewport(0, 0, pixels.width(), pixels.height());
    glDisable(GL_SCISSOR_TEST);
    return true;
}

void GlTarget::allocate(const QSize& pixels) {
    GLint bound = 0;
    glGetIntegerv(GL_TEXTURE_BINDING_2D, &bound);
    glBindTexture(GL_TEXTURE_2D, colour_);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    glTexImage2D(GL_TEXTURE_2D, 0, GL_RGBA8, pixels.width(), pixels.height(), 0, kFormat, kType, nullptr);
    glBindTexture(GL_TEXTURE_2D, static_cast<GLuint>(bound));
    glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour_, 0);
}

bool GlTarget::begin(const QSize& pixels, QRgb clearColour) {
    if (!bind(pixels)) return false;
    const auto channel = [](int value) { return static_cast<float>(value) / 255.0F; };
    glClearColor(channel(qRed(clearColour)), channel(qGreen(clearColour)), channel(qBlue(clearColour)), 1.0F);
    glClear(GL_COLOR_BUFFER_BIT);
    return true;
}

bool GlTarget::beginOver(const GlTarget& backdrop, const std::vector<QRect>& parts) {
    if (!bind(backdrop.size_)) return false;
    glBindFramebuffer(GL_READ_FRAMEBUFFER, backdrop.framebuffer_);
    for (const QRect& part : parts) {
        const int left = part.left(), right = part.right() + 1;
        const int bottom = size_.height() - part.bottom() - 1, top = size_.height() - part.top();
        glBlitFramebuffer(left, bottom, right, top, left, bottom, right, top, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_);
    return true;
}

void GlTarget::readInto(QImage& picture, const std::vector<QRect>& parts) {
    const bool inverts = context_->invertsRows();
    if (picture.size() != size_) picture = QImage(size_, QImage::Format_RGB32);
    if (!inverts && upsideDown_.size() != size_) upsideDown_ = QImage(size_, QImage::Format_RGB32);
    if (inverts) glPixelStorei(GL_PACK_INVERT_MESA, GL_TRUE);
    glPixelStorei(GL_PACK_ALIGNMENT, 4);
    glPixelStorei(GL_PACK_ROW_LENGTH, static_cast<GLint>(picture.bytesPerLine() / 4));
    for (const QRect& part : parts) readPart(picture, part);
    glPixelStorei(GL_PACK_ROW_LENGTH, 0);
    if (inverts) glPixelStorei(GL_PACK_INVERT_MESA, GL_FALSE);
}

void GlTarget::readPart(QImage& picture, const QRect& part) {
    const bool inverts = context_->invertsRows();
    const qsizetype offset = qsizetype{4} * part.left();
    const int bottom = size_.height() - part.bottom() - 1;
    uchar* into = inverts ? picture.scanLine(part.top()) : upsideDown_.scanLine(bottom);
    glReadPixels(part.left(), bottom, part.width(), part.height(), kFormat, kType, into + offset);
    for (int row = part.top(); !inverts && row <= part.bottom(); ++row)
        std::memcpy(picture.scanLine(row) + offset,
                    upsideDown_.constScanLine(size_.height() - 1 - row) + offset,
                    std::size_t{4} * static_cast<std::size_t>(part.width()));
}

}  // namespace kurve::views
