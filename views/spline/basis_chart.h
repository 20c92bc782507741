#pragma once

#include "core/curve/spline_model.h"
#include "views/common/chart/plot_card.h"

namespace kurve::views {

/// The basis functions over the curve with the words at their positions; a word under the mouse lights up
/// what carries it.
class BasisChart : public PlotCard {
    Q_OBJECT
public:
    explicit BasisChart(QWidget* parent = nullptr);
    void show(const curve::SplinePicture& picture);
    void highlightWord(int word);  ///< -1 = none

private:
    void restyle();
    void draw();
    void read(double u);

    curve::SplinePicture picture_;
    int highlighted_ = -1;
};

}  // namespace kurve::views
