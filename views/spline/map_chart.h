#pragma once

#include "views/common/plot_card.h"
#include "views/spline/spline_model.h"

class QCPColorMap;
class QCPColorScale;
class QCPGraph;
class QComboBox;

namespace kurve::views {

/// A matrix of the spline as a heat map: Psi (words by control points), its inverse, or the coupling of
/// words.
class MapChart : public PlotCard {
    Q_OBJECT
public:
    explicit MapChart(QWidget* parent = nullptr);
    void show(const SplinePicture& picture);

Q_SIGNALS:
    void wordHovered(int word);  ///< -1 = none

private:
    enum Shown { Psi, Inverse, Coupling };
    void recompute();
    void draw();
    void restyle();
    void read(double x, double y);
    [[nodiscard]] bool wordsAcross() const { return shown_ != Psi; }

    Shown shown_ = Psi;
    QComboBox* choice_;
    QCPColorMap* map_;
    QCPColorScale* scale_;
    QCPGraph* dead_;
    SplinePicture picture_;
    curve::Matrix matrix_;
};

}  // namespace kurve::views
