#pragma once

#include <algorithm>
#include <cmath>

#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// Ticks of an axis that counts: there is no word 2.5.
class WholeTicker : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override {
        return std::max(1.0, std::round(QCPAxisTicker::getTickStep(range)));
    }
};

}  // namespace kurve::views
