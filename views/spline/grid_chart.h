#pragma once

#include <optional>

#include "core/curve/spline_sweep.h"
#include "views/common/chart/plot_card.h"
#include "views/common/data/background.h"

class QCPAxisTickerText;
class QComboBox;

namespace kurve::views {

/// The reconstruction error of a sentence's words by control points and degree rule (SCLM, Figure 8), drawn
/// row by row as a worker finds them. Begins anew when length, margin or knots change.
class GridChart : public PlotCard {
    Q_OBJECT
public:
    explicit GridChart(QWidget* parent = nullptr);
    void show(const curve::SplineShape& shape);
    [[nodiscard]] int rowsDrawn() const { return drawn_; }

Q_SIGNALS:
    /// The user clicked a cell: these control points per word and this degree rule.
    void cellChosen(double rho, int rule);

private:
    void nameColumns(QCPAxisTickerText& names) const;
    void begin();
    void next();
    void take(const curve::GridRow& row);
    void draw();
    void restyle();
    void read(double x, double y);
    void choose();
    [[nodiscard]] const curve::ReconstructionCell* cellAt(double x, double y) const;

    QComboBox* precision_;
    curve::SplineShape shape_;
    std::vector<std::optional<curve::GridRow>> rows_;
    Background background_{JobKind::Later};
    int drawn_ = 0;
    double x_ = -1, y_ = -1;
};

}  // namespace kurve::views
