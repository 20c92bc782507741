#pragma once

#include <QPaintDevice>
#include <QPainter>
#include <QPolygonF>
#include <memory>

namespace kurve::views {

/// The part of a filled outline that lies in a rectangle (Sutherland and Hodgman).
[[nodiscard]] QPolygonF clippedOutline(QPolygonF outline, const QRectF& clip);

/// Draws on another painter and clips all shapes to the clip rectangle. For svg, whose engine in Qt ignores
/// every clip: a zoomed curve would overlap its neighbours. Lines stay lines, texts texts; a text is drawn
/// whole or, with its middle outside, not at all. Changes pen, brush and transform of the target: save it.
class ClippedDevice : public QPaintDevice {
public:
    explicit ClippedDevice(QPainter& target);
    ~ClippedDevice() override;
    [[nodiscard]] QPaintEngine* paintEngine() const override;

protected:
    [[nodiscard]] int metric(PaintDeviceMetric metric) const override;

private:
    QPainter& target_;
    std::unique_ptr<QPaintEngine> engine_;
};

}  // namespace kurve::views
