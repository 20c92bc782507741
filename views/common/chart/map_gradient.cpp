#include "views/common/chart/map_gradient.h"

#include "views/common/theme/theme.h"

namespace kurve::views {

QCPColorGradient mapGradient(bool signedValues) {
    QCPColorGradient colors;
    colors.setColorStops(signedValues
                             ? QMap<double, QColor>{{0, theme().dark ? QColor(0xF0793A) : QColor(0xB04A00)},
                                                    {0.5, theme().surface},
                                                    {1, theme().ramp(1)}}
                             : QMap<double, QColor>{{0, theme().ramp(0)}, {1, theme().ramp(1)}});
    return colors;
}

}  // namespace kurve::views
