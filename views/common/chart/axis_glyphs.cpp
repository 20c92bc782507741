#include "views/common/chart/axis_glyphs.h"

#include "views/common/text/format.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr double kLockWidth = 7, kLockBody = 5, kShackle = 4.5, kArrow = 7, kGap = 3;

/// A triangle in a box of this size, pointing up, right, down or left.
QPolygonF arrow(const QPointF& centre, double size, Qt::Edge to) {
    const double half = size / 2;
    QPolygonF shape({{-half, half * 0.8}, {half, half * 0.8}, {0, -half * 0.8}});
    const double turn = to == Qt::TopEdge ? 0 : to == Qt::RightEdge ? 90 : to == Qt::BottomEdge ? 180 : 270;
    return QTransform().translate(centre.x(), centre.y()).rotate(turn).map(shape);
}

}  // namespace

AxisGlyphs::AxisGlyphs(QCustomPlot* plot) : QCPAbstractItem(plot) {
    setSelectable(false);
    setClipToAxisRect(false);
    setLayer(QStringLiteral("axes"));
}

void AxisGlyphs::set(const Locks& locks, const Outside& outside) {
    locks_ = locks;
    outside_ = outside;
}

double AxisGlyphs::selectTest(const QPointF& /*pos*/, bool /*onlySelectable*/, QVariant* /*details*/) const {
    return -1;
}

void AxisGlyphs::draw(QCPPainter* painter) {
    const QRectF area = mParentPlot->axisRect()->rect();
    painter->setAntialiasing(true);
    const double off = px(kLockBody + kGap);  // off the corner, so that two locks do not overlap
    if (locks_.bottom) drawLock(painter, {area.left(), area.bottom() - off});
    if (locks_.top) drawLock(painter, {area.left(), area.top() + off});
    if (locks_.left) drawLock(painter, {area.left() + off + px(2), area.bottom()});
    if (locks_.right) drawLock(painter, {area.right() - off, area.bottom()});
    if (outside_.any()) drawCounts(painter, area);
}

/// Centred on the axis, with a background that covers ticks and curves.
void AxisGlyphs::drawLock(QCPPainter* painter, const QPointF& centre) const {
    const double width = px(kLockWidth), body = px(kLockBody), shackle = px(kShackle);
    const QRectF box(centre.x() - width / 2, centre.y() - body / 2 + shackle / 2, width, body);
    painter->setPen(Qt::NoPen);
    painter->setBrush(theme().surface);
    painter->drawRect(QRectF(box.left() - 2, box.top() - shackle - 2, width + 4, body + shackle + 4));
    painter->setPen(QPen(theme().accent, 1.4 * theme().scale));
    painter->setBrush(Qt::NoBrush);
    const double inner = width * 0.62;
    const QRectF bow(centre.x() - inner / 2, box.top() - shackle, inner, shackle * 2);
    painter->drawArc(bow, 0, 180 * 16);
    painter->setBrush(theme().accent);
    painter->drawRect(box);
}

void AxisGlyphs::drawCounts(QCPPainter* painter, const QRectF& area) const {
    painter->setFont(smallFont());
    const QFontMetricsF metrics(smallFont());
    const double size = px(kArrow), gap = px(kGap), height = metrics.height();
    const auto drawCount = [&](std::size_t count, Qt::Edge edge) {
        if (count == 0) return;
        const QString text = countText(static_cast<qint64>(count));
        const double width = size + gap + metrics.horizontalAdvance(text);
        const bool across = edge == Qt::LeftEdge || edge == Qt::RightEdge;
        const double left = edge == Qt::LeftEdge    ? area.left() + gap
                            : edge == Qt::RightEdge ? area.right() - width - gap
                                                    : area.center().x() - width / 2;
        const double top = across                ? area.center().y() - height / 2
                           : edge == Qt::TopEdge ? area.top() + 1
                                                 : area.bottom() - height - 1;
        QColor background = theme().surface;
        background.setAlphaF(0.8F);
        painter->setPen(Qt::NoPen);
        painter->setBrush(background);
        painter->drawRect(QRectF(left - 2, top, width + 4, height));
        painter->setBrush(theme().warn);
        painter->drawPolygon(arrow({left + size / 2, top + height / 2}, size, edge));
        painter->setPen(theme().warn);
        painter->drawText(QRectF(left + size + gap, top, width, height), Qt::AlignLeft | Qt::AlignVCenter,
                          text);
    };
    drawCount(outside_.above, Qt::TopEdge);
    drawCount(outside_.below, Qt::BottomEdge);
    drawCount(outside_.left, Qt::LeftEdge);
    drawCount(outside_.right, Qt::RightEdge);
}

}  // namespace kurve::views
