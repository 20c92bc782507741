#include "views/timeline/transport_icons.h"

#include <QPainter>
#include <QPainterPath>

#include "views/common/theme/drawn_icon.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

QPolygonF triangle(double left, double right) {
    return {{left, 3}, {right, 8}, {left, 13}};
}
QPolygonF bar(double left, double width) {
    return QRectF(left, 3, width, 10);
}

/// In a square of 16 units; the loop has lines instead.
QList<QPolygonF> shapesOf(TransportIcon icon) {
    const QList<QPolygonF> shapes[] = {
        {triangle(13, 5), bar(3, 2)}, {triangle(12, 4)}, {triangle(4, 13)},
        {bar(4, 3), bar(9, 3)},       {triangle(4, 12)}, {triangle(3, 11), bar(11, 2)}};
    return shapes[static_cast<std::size_t>(icon)];
}

void drawLoop(QPainter& painter, const QColor& colour) {
    painter.setPen(QPen(colour, 1.6, Qt::SolidLine, Qt::RoundCap));
    painter.setBrush(Qt::NoBrush);
    painter.drawArc(QRectF(3, 3.5, 10, 9), 40 * 16, 290 * 16);
    QPainterPath head;
    head.moveTo(10.2, 2.2);
    head.lineTo(13.4, 5.6);
    head.lineTo(9.2, 6.6);
    head.closeSubpath();
    painter.fillPath(head, colour);
}

QPixmap pixmap(TransportIcon icon, const QColor& colour) {
    return drawnIcon([&](QPainter& painter) {
        if (icon == TransportIcon::Loop) return drawLoop(painter, colour);
        painter.setPen(Qt::NoPen);
        painter.setBrush(colour);
        for (const QPolygonF& shape : shapesOf(icon)) painter.drawPolygon(shape);
    });
}

}  // namespace

QIcon transportIcon(TransportIcon icon) {
    QIcon out(pixmap(icon, theme().text));
    out.addPixmap(pixmap(icon, theme().faint), QIcon::Disabled);
    return out;
}

}  // namespace kurve::views
