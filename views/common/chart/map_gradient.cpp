#include "views/common/chart/map_gradient.h"

#include "views/common/theme/theme.h"

namespace kurve::views {

QCPColorGradient mapGradient(bool signedValues) {
    QCPColorGradient colors;
    QMap<double, QColor> stops;
    const QColor negative = theme().dark ? QColor(0xF0793A) : QColor(0xB04A00);
    const auto mix = [](const QColor& a, const QColor& b, double t) {
        return QColor::fromRgbF(static_cast<float>(a.redF() + (b.redF() - a.redF()) * t),
                                static_cast<float>(a.greenF() + (b.greenF() - a.greenF()) * t),
                                static_cast<float>(a.blueF() + (b.blueF() - a.blueF()) * t));
    };
    for (int i = 0; i <= 8; ++i) {
        const double t = i / 8.0;
        if (signedValues) {
            stops[0.5 + t / 2] = theme().ramp(t);
            stops[0.5 - t / 2] = mix(theme().surface, negative, t);
        } else {
            stops[t] = theme().ramp(t);
        }
    }
    colors.setColorStops(stops);
    return colors;
}

}  // namespace kurve::views
