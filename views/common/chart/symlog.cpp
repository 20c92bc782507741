#include "views/common/chart/symlog.h"

#include <algorithm>
#include <cmath>

#include "views/common/text/format.h"

namespace kurve::views {

double symlog(double value, double unit) {
    return std::copysign(std::log1p(std::abs(value) / unit) / std::log(10.0), value);
}

double symlogInverse(double coord, double unit) {
    return std::copysign(std::expm1(std::abs(coord) * std::log(10.0)) * unit, coord);
}

double symlogUnit(double largest) {
    constexpr int kDecades = 3;
    if (!(largest > 0) || !std::isfinite(largest)) return 1;
    return std::pow(10.0, std::floor(std::log10(largest)) - kDecades);
}

QVector<double> SymlogTicker::createTickVector(double, const QCPRange& range) {
    constexpr int kMostDecades = 8, kWantedTicks = 7;
    QVector<double> ticks;
    const int first = static_cast<int>(std::floor(std::log10(unit_))) + 1;
    for (const double sign : {-1.0, 1.0})
        for (int decade = first; decade < first + kMostDecades; ++decade)
            ticks << symlog(sign * std::pow(10.0, decade), unit_);
    ticks << 0;
    std::sort(ticks.begin(), ticks.end());
    ticks.removeIf([&](double tick) { return tick < range.lower || tick > range.upper; });
    if (ticks.size() > kWantedTicks) {  // every second decade, zero always
        const auto zero = ticks.indexOf(0.0);
        QVector<double> fewer;
        for (qsizetype i = 0; i < ticks.size(); ++i)
            if ((i - std::max<qsizetype>(zero, 0)) % 2 == 0) fewer << ticks[i];
        ticks = fewer;
    }
    if (ticks.size() < 2)
        ticks = {range.lower + range.size() * 0.1, range.center(), range.upper - range.size() * 0.1};
    return ticks;
}

QString SymlogTicker::getTickLabel(double tick, const QLocale&, QChar, int) {
    return numberText(symlogInverse(tick, unit_), 3);
}

}  // namespace kurve::views
