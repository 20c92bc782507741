#include "views/timeline/transport_icons.h"

#include <QPainter>
#include <QPainterPath>

#include "views/common/theme/drawn_icon.h"
#include "views/common/theme/theme.h"

namespace kurve::views {
namespace {

QPainterPath triangle(double left, double right) {
    QPainterPath path;
    path.moveTo(left, 3);
    path.lineTo(right, 8);
    path.lineTo(left, 13);
    path.closeSubpath();
    return path;
}

/// In a square of 16 units.
QPainterPath shape(TransportIcon icon) {
    QPainterPath path;
    switch (icon) {
        case TransportIcon::First:
            path = triangle(13, 5);
            path.addRect(3, 3, 2, 10);
            break;
        case TransportIcon::Back:
            path = triangle(12, 4);
            break;
        case TransportIcon::Play:
            path = triangle(4, 13);
            break;
        case TransportIcon::Pause:
            path.addRect(4, 3, 3, 10);
            path.addRect(9, 3, 3, 10);
            break;
        case TransportIcon::Forward:
            path = triangle(4, 12);
            break;
        case TransportIcon::Last:
            path = triangle(3, 11);
            path.addRect(11, 3, 2, 10);
            break;
        case TransportIcon::Loop:
            break;
    }
    return path;
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
        if (icon == TransportIcon::Loop)
            drawLoop(painter, colour);
        else
            painter.fillPath(shape(icon), colour);
    });
}

}  // namespace

QIcon transportIcon(TransportIcon icon) {
    QIcon out(pixmap(icon, theme().text));
    out.addPixmap(pixmap(icon, theme().faint), QIcon::Disabled);
    return out;
}

}  // namespace kurve::views
