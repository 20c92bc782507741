#pragma once

#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// A straight line from edge to edge of a plot at one coordinate.
class GuideLine : public QCPItemStraightLine {
    Q_OBJECT
public:
    GuideLine(QCustomPlot* plot, Qt::Orientation orientation);
    void setAt(double coord);
    [[nodiscard]] Qt::Orientation orientation() const { return orientation_; }

private:
    Qt::Orientation orientation_;
};

}  // namespace kurve::views
