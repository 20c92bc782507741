#include "views/common/theme/drawn_icon.h"

#include <QGuiApplication>
#include <QPainter>

#include "views/common/theme/theme.h"

namespace kurve::views {

QPixmap drawnIcon(const std::function<void(QPainter&)>& draw) {
    const double ratio = qGuiApp->devicePixelRatio();
    const int side = px(16);
    QPixmap out(QSizeF(side * ratio, side * ratio).toSize());
    out.setDevicePixelRatio(ratio);
    out.fill(Qt::transparent);
    QPainter painter(&out);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.scale(side / 16.0, side / 16.0);
    draw(painter);
    return out;
}

}  // namespace kurve::views
