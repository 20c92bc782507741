#pragma once

#include "core/curve/spline_sweep.h"
#include "views/common/chart/plot_card.h"
#include "views/common/data/latest.h"

class QComboBox;

namespace kurve::views {

/// How strongly words, control points and a uniform shift are coupled, over rho or over the degree: the three
/// ratios with the choice in force marked.
class RatioChart : public PlotCard {
    Q_OBJECT
public:
    explicit RatioChart(QWidget* parent = nullptr);
    void show(const curve::SplineShape& shape);

private:
    struct Request {
        curve::SplineShape shape;
        bool overDegree = false;
    };
    void requestSweep();
    void take(curve::RatioSweep sweep);
    void restyle();
    void read(double x);

    QComboBox* over_;
    curve::SplineShape shape_;
    curve::RatioSweep sweep_;
    Latest<Request, curve::RatioSweep> sweeps_;
};

}  // namespace kurve::views
