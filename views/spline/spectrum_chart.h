#pragma once

#include "core/curve/spline_model.h"
#include "views/common/chart/plot_card.h"

namespace kurve::views {

/// Eigenvalues of Psi Psi^T: equal ones mean uncoupled words.
class SpectrumChart : public PlotCard {
    Q_OBJECT
public:
    explicit SpectrumChart(QWidget* parent = nullptr);
    void show(const curve::SplinePicture& picture);

private:
    void draw();

    std::vector<double> eigenvalues_;
    double mean_ = 0;
};

}  // namespace kurve::views
