#pragma once

#include "core/curve/spline_model.h"
#include "views/common/chart/plot_card.h"

class QCPColorScale;
class QComboBox;

namespace kurve::views {

/// A matrix of the spline as a heat map: Psi (words by control points), its inverse, or the coupling of
/// words.
class MapChart : public PlotCard {
    Q_OBJECT
public:
    explicit MapChart(QWidget* parent = nullptr);
    void show(const curve::SplinePicture& picture);
    /// What the user wants to see; show() brings it.
    [[nodiscard]] curve::SplineMap chosen() const;

Q_SIGNALS:
    void wordHovered(int word);  ///< -1 = none
    void mapChosen();

private:
    void draw();
    void restyle();
    void read(double x, double y);

    QComboBox* choice_;
    QCPColorScale* scale_;
    curve::SplinePicture picture_;
};

}  // namespace kurve::views
