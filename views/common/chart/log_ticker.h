#pragma once

#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// Ticks of a logarithmic axis at 1, 2 and 5 times powers of ten, of many decades at powers alone, spaced
/// for their labels: a curve within a decade has readable ticks as well.
class LogTicker : public QCPAxisTicker {
protected:
    QVector<double> createTickVector(double tickStep, const QCPRange& range) override;
    int getSubTickCount(double) override { return 0; }
};

}  // namespace kurve::views
