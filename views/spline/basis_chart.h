#pragma once

#include "views/common/chart/plot_card.h"
#include "views/spline/spline_model.h"

namespace kurve::views {

/// The basis functions over the curve with the words at their positions; a word under the mouse lights up
/// what carries it.
class BasisChart : public PlotCard {
    Q_OBJECT
public:
    explicit BasisChart(QWidget* parent = nullptr);
    void show(const SplinePicture& picture);
    void highlightWord(int word);  ///< -1 = none

private:
    void restyle();
    void draw();
    void read(double u);

    SplinePicture picture_;
    int highlighted_ = -1;
};

}  // namespace kurve::views
