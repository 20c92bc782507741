#include "views/common/chart/clipped_device.h"

#include <QPaintEngine>
#include <QPainterPath>
#include <algorithm>
#include <cmath>
#include <optional>

namespace kurve::views {

namespace {

/// One side of the rectangle: keeps what is inside.
template <class Inside, class Cross>
QPolygonF cutAt(const QPolygonF& outline, Inside inside, Cross cross) {
    QPolygonF out;
    for (qsizetype i = 0; i < outline.size(); ++i) {
        const QPointF a = outline[i], b = outline[(i + 1) % outline.size()];
        if (inside(a)) out << a;
        if (inside(a) != inside(b)) out << cross(a, b);
    }
    return out;
}

/// The part of a segment in the rectangle (Liang and Barsky).
std::optional<QLineF> cutLine(const QLineF& line, const QRectF& clip) {
    double from = 0, to = 1;
    const auto cut = [&](double slope, double bound) {  // the part where slope * t <= bound
        if (slope == 0) return bound >= 0;
        if (slope < 0) from = std::max(from, bound / slope);
        if (slope > 0) to = std::min(to, bound / slope);
        return from <= to;
    };
    const bool visible = cut(-line.dx(), line.x1() - clip.left()) &&
                         cut(line.dx(), clip.right() - line.x1()) &&
                         cut(-line.dy(), line.y1() - clip.top()) && cut(line.dy(), clip.bottom() - line.y1());
    if (!visible || !std::isfinite(from) || !std::isfinite(to)) return std::nullopt;
    return QLineF(from > 0 ? line.pointAt(from) : line.p1(), to < 1 ? line.pointAt(to) : line.p2());
}

class ClippedEngine : public QPaintEngine {
public:
    explicit ClippedEngine(QPainter& target)
        : QPaintEngine(AllFeatures), target_(target), base_(target.transform()) {}
    bool begin(QPaintDevice* /*device*/) override { return true; }
    bool end() override { return true; }
    [[nodiscard]] Type type() const override { return User; }
    void updateState(const QPaintEngineState& state) override;
    void drawPath(const QPainterPath& path) override;
    void drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) override;
    void drawTextItem(const QPointF& position, const QTextItem& text) override;
    void drawPixmap(const QRectF& target, const QPixmap& picture, const QRectF& part) override {
        drawPart(target, part,
                 [&](const QRectF& to, const QRectF& of) { target_.drawPixmap(to, picture, of); });
    }
    void drawImage(const QRectF& target, const QImage& picture, const QRectF& part,
                   Qt::ImageConversionFlags flags) override {
        drawPart(target, part,
                 [&](const QRectF& to, const QRectF& of) { target_.drawImage(to, picture, of, flags); });
    }

private:
    /// In the drawing's own coordinates.
    [[nodiscard]] std::optional<QRectF> clip() const {
        return painter()->hasClipping() ? std::optional(painter()->clipBoundingRect()) : std::nullopt;
    }
    template <class Draw>
    void drawPart(const QRectF& target, const QRectF& part, Draw draw) const;
    void stroke(const QPolygonF& line, const QRectF& clip);

    QPainter& target_;
    QTransform base_;
};

void ClippedEngine::updateState(const QPaintEngineState& state) {
    const DirtyFlags changed = state.state();
    if (changed & DirtyPen) target_.setPen(state.pen());
    if (changed & DirtyBrush) target_.setBrush(state.brush());
    if (changed & DirtyBrushOrigin) target_.setBrushOrigin(state.brushOrigin());
    if (changed & DirtyFont) target_.setFont(state.font());
    if (changed & DirtyOpacity) target_.setOpacity(state.opacity());
    if (changed & DirtyTransform) target_.setTransform(state.transform() * base_);
    if (changed & DirtyHints) {
        target_.setRenderHints(target_.renderHints(), false);
        target_.setRenderHints(state.renderHints());
    }
}

void ClippedEngine::drawPath(const QPainterPath& path) {
    const auto clip = this->clip();
    if (!clip || clip->contains(path.controlPointRect())) return target_.drawPath(path);
    QPainterPath area;
    area.setFillRule(path.fillRule());
    for (const QPolygonF& outline : path.toFillPolygons()) area.addPolygon(clippedOutline(outline, *clip));
    const QPen pen = target_.pen();
    target_.setPen(Qt::NoPen);
    if (target_.brush().style() != Qt::NoBrush) target_.drawPath(area);
    target_.setPen(pen);
    for (const QPolygonF& line : path.toSubpathPolygons()) stroke(line, *clip);
}

void ClippedEngine::drawPolygon(const QPointF* points, int count, PolygonDrawMode mode) {
    const QPolygonF all(QList<QPointF>(points, points + count));
    const auto clip = this->clip();
    const bool filled = mode != PolylineMode;
    if (clip && !clip->contains(all.boundingRect())) {
        QPainterPath area;
        area.addPolygon(all);
        area.setFillRule(mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
        if (!filled) return stroke(all, *clip);
        area.closeSubpath();
        return drawPath(area);
    }
    if (filled)
        target_.drawPolygon(all, mode == WindingMode ? Qt::WindingFill : Qt::OddEvenFill);
    else
        target_.drawPolyline(all);
}

void ClippedEngine::drawTextItem(const QPointF& position, const QTextItem& text) {
    const QPointF middle = position + QPointF(text.width() / 2, (text.descent() - text.ascent()) / 2);
    if (const auto clip = this->clip(); clip && !clip->contains(middle)) return;
    target_.setFont(text.font());
    target_.drawText(position, text.text());
}

template <class Draw>
void ClippedEngine::drawPart(const QRectF& target, const QRectF& part, Draw draw) const {
    const QRectF visible = target & clip().value_or(target);
    if (visible.isEmpty()) return;
    const double x = part.width() / target.width(), y = part.height() / target.height();
    draw(visible, QRectF(part.x() + (visible.x() - target.x()) * x, part.y() + (visible.y() - target.y()) * y,
                         visible.width() * x, visible.height() * y));
}

/// The visible parts of a line, each as one line.
void ClippedEngine::stroke(const QPolygonF& line, const QRectF& clip) {
    if (target_.pen().style() == Qt::NoPen) return;
    QPolygonF part;
    const auto finish = [&] {
        if (part.size() > 1) target_.drawPolyline(part);
        part.clear();
    };
    for (qsizetype i = 0; i + 1 < line.size(); ++i) {
        const auto visible = cutLine(QLineF(line[i], line[i + 1]), clip);
        if (!visible) {
            finish();
            continue;
        }
        if (part.isEmpty() || part.back() != visible->p1()) {
            finish();
            part << visible->p1();
        }
        part << visible->p2();
    }
    finish();
}

}  // namespace

QPolygonF clippedOutline(QPolygonF outline, const QRectF& clip) {
    if (clip.contains(outline.boundingRect())) return outline;
    const auto atX = [](double x) {
        return [x](QPointF a, QPointF b) { return a + (b - a) * ((x - a.x()) / (b.x() - a.x())); };
    };
    const auto atY = [](double y) {
        return [y](QPointF a, QPointF b) { return a + (b - a) * ((y - a.y()) / (b.y() - a.y())); };
    };
    outline = cutAt(
        outline, [&](QPointF p) { return p.x() >= clip.left(); }, atX(clip.left()));
    outline = cutAt(
        outline, [&](QPointF p) { return p.x() <= clip.right(); }, atX(clip.right()));
    outline = cutAt(
        outline, [&](QPointF p) { return p.y() >= clip.top(); }, atY(clip.top()));
    return cutAt(
        outline, [&](QPointF p) { return p.y() <= clip.bottom(); }, atY(clip.bottom()));
}

ClippedDevice::ClippedDevice(QPainter& target)
    : target_(target), engine_(std::make_unique<ClippedEngine>(target)) {}

ClippedDevice::~ClippedDevice() = default;

QPaintEngine* ClippedDevice::paintEngine() const {
    return engine_.get();
}

int ClippedDevice::metric(PaintDeviceMetric metric) const {
    const QPaintDevice& device = *target_.device();
    switch (metric) {
        case PdmWidth:
            return device.width();
        case PdmHeight:
            return device.height();
        case PdmDpiX:
        case PdmPhysicalDpiX:
            return device.logicalDpiX();
        case PdmDpiY:
        case PdmPhysicalDpiY:
            return device.logicalDpiY();
        default:
            return QPaintDevice::metric(metric);
    }
}

}  // namespace kurve::views
