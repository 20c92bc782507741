#pragma once

#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// Symmetric logarithm: linear about zero, a decade per unit far from it, so that small, large and negative
/// values share an axis. Rising, hence extremes stay extremes. unit > 0 is where it bends.
[[nodiscard]] double symlog(double value, double unit);
[[nodiscard]] double symlogInverse(double coord, double unit);
/// The bend for values of up to this size: three decades of it are spread out.
[[nodiscard]] double symlogUnit(double largest);

/// Ticks at 0 and at powers of ten of both signs, for an axis whose coordinates are symlog(value, unit).
class SymlogTicker : public QCPAxisTicker {
public:
    explicit SymlogTicker(double unit) : unit_(unit) {}

protected:
    QVector<double> createTickVector(double tickStep, const QCPRange& range) override;
    QString getTickLabel(double tick, const QLocale& locale, QChar format, int precision) override;
    int getSubTickCount(double) override { return 0; }

private:
    double unit_;
};

}  // namespace kurve::views
