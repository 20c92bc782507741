#pragma once

#include <QImage>
#include <QRect>
#include <QSize>
#include <cstdint>
#include <memory>
#include <vector>

namespace kurve::views {

class GlContext;

/// A framebuffer of its own for one widget, and the way from it into a QImage. The context must be current.
class GlTarget {
public:
    explicit GlTarget(std::shared_ptr<GlContext> context) : context_(std::move(context)) {}
    ~GlTarget();
    GlTarget(const GlTarget&) = delete;
    GlTarget& operator=(const GlTarget&) = delete;

    /// Binds and clears to a colour of the theme; false if the driver refuses the size.
    bool begin(const QSize& pixels, QRgb clearColour);
    /// Binds and restores these parts from another target instead; the rest stays as it was. False as above.
    bool beginOver(const GlTarget& backdrop, const std::vector<QRect>& parts);
    [[nodiscard]] const QSize& size() const { return size_; }
    /// Copies these parts into the picture, top row first (made anew if its size differs: then give all of
    /// it).
    void readInto(QImage& picture, const std::vector<QRect>& parts);

private:
    bool bind(const QSize& pixels);
    void allocate(const QSize& pixels);
    void readPart(QImage& picture, const QRect& part);
    std::shared_ptr<GlContext> context_;
    std::uint32_t framebuffer_ = 0, colour_ = 0;
    QSize size_;
    QImage upsideDown_;
};

}  // namespace kurve::views
