#pragma once

#include "views/common/chart/plot_card.h"
#include "views/spline/spline_model.h"

class QCPGraph;
class QCPItemStraightLine;

namespace kurve::views {

/// Eigenvalues of Psi Psi^T: equal ones mean uncoupled words.
class SpectrumChart : public PlotCard {
    Q_OBJECT
public:
    explicit SpectrumChart(QWidget* parent = nullptr);
    void show(const SplinePicture& picture);

private:
    void restyle();

    QCPGraph* values_;
    QCPItemStraightLine* mean_;
    std::vector<double> eigenvalues_;
};

}  // namespace kurve::views
