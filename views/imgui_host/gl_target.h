#pragma once

#include <QImage>
#include <QSize>
#include <cstdint>
#include <memory>

namespace kurve::views {

class GlContext;

/// A framebuffer of its own for one widget, and the way from it into a QImage. The context must be current.
class GlTarget {
public:
    explicit GlTarget(std::shared_ptr<GlContext> context) : context_(std::move(context)) {}
    ~GlTarget();
    GlTarget(const GlTarget&) = delete;
    GlTarget& operator=(const GlTarget&) = delete;

    /// Binds and clears; false if the driver refuses the size.
    bool begin(const QSize& pixels, QRgb clearColour);
    /// Binds and begins with a copy of another target instead; false as above, or if the other has another
    /// size.
    bool beginOver(const GlTarget& backdrop);
    [[nodiscard]] const QSize& size() const { return size_; }
    /// Copies what was drawn since begin() into the picture, top row first (made anew if its size differs).
    void readInto(QImage& picture);

private:
    bool bind(const QSize& pixels);
    std::shared_ptr<GlContext> context_;
    std::uint32_t framebuffer_ = 0, colour_ = 0;
    QSize size_;
    QImage upsideDown_;
};

}  // namespace kurve::views
