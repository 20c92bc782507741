#include "views/common/chart/guide_line.h"

namespace kurve::views {

GuideLine::GuideLine(QCustomPlot* plot, Qt::Orientation orientation)
    : QCPItemStraightLine(plot), orientation_(orientation) {
    for (QCPItemPosition* point : {point1, point2})
        orientation == Qt::Vertical ? point->setTypeY(QCPItemPosition::ptAxisRectRatio)
                                    : point->setTypeX(QCPItemPosition::ptAxisRectRatio);
    setSelectable(false);
}

void GuideLine::setAt(double coord) {
    const bool upright = orientation_ == Qt::Vertical;
    point1->setCoords(upright ? coord : 0, upright ? 0 : coord);
    point2->setCoords(upright ? coord : 1, upright ? 1 : coord);
}

}  // namespace kurve::views
