#pragma once

#include <QMap>

#include "core/curve/spline_model.h"
#include "views/common/data/latest.h"
#include "views/common/shell/panel.h"

namespace kurve::views {

class BasisChart;
class GridChart;
class MapChart;
class RatioChart;
class SpectrumChart;
class SplineForm;
class SplineReportView;

/// The spline laboratory: what a choice of control points, degree, margin, knots and ridge does to a sentence
/// of L words.
class SplinePanel : public Panel {
    Q_OBJECT
public:
    explicit SplinePanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override { return picture_.psi.rows > 0; }
    [[nodiscard]] QString statement() const override;
    /// What is shown is not yet what the controls say.
    [[nodiscard]] bool working() const { return pictures_.working(); }

    /// What the form says, for the next start. changed() tells when to ask.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

private:
    QWidget* buildControls();
    QWidget* buildCharts();
    void useInDraft();
    void refresh();
    void take(curve::SplinePicture picture);

    SplineForm* form_;
    SplineReportView* report_;
    MapChart* map_;
    BasisChart* basis_;
    SpectrumChart* spectrum_;
    RatioChart* ratios_;
    GridChart* grid_;
    struct Request {
        curve::SplineShape shape;
        curve::SplineMap shown;
    };
    Latest<Request, curve::SplinePicture> pictures_;
    curve::SplinePicture picture_;  ///< the last one, shown until the next is there
};

}  // namespace kurve::views
