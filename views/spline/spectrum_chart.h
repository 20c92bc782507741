#pragma once

#include "views/common/chart/plot_card.h"
#include "views/spline/spline_model.h"

namespace kurve::views {

/// Eigenvalues of Psi Psi^T: equal ones mean uncoupled words.
class SpectrumChart : public PlotCard {
    Q_OBJECT
public:
    explicit SpectrumChart(QWidget* parent = nullptr);
    void show(const SplinePicture& picture);

private:
    void draw();

    std::vector<double> eigenvalues_;
    double mean_ = 0;
};

}  // namespace kurve::views
