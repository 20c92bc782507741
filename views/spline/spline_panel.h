#pragma once

#include <QTimer>

#include "views/common/panel.h"
#include "views/spline/spline_model.h"

namespace kurve::views {

class BasisChart;
class MapChart;
class SpectrumChart;
class SplineForm;
class SplineReportView;

/// The spline laboratory: what a choice of control points, degree, margin, knots and ridge does to a sentence
/// of L words.
class SplinePanel : public Panel {
    Q_OBJECT
public:
    explicit SplinePanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override { return true; }
    [[nodiscard]] QString statement() const override;

private:
    QWidget* buildControls();
    void refresh();

    SplineForm* form_;
    SplineReportView* report_;
    MapChart* map_;
    BasisChart* basis_;
    SpectrumChart* spectrum_;
    QTimer pause_;  ///< a dragged slider asks many times a frame
    SplinePicture picture_;
};

}  // namespace kurve::views
