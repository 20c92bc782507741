#pragma once

#include <QObject>
#include <optional>

#include "core/schedule/weight_points.h"
#include "views/common/chart/chart_layers.h"
#include "views/schedule/drag_points.h"

namespace kurve::views {

/// Loss weights of one's own in a chart over log-SNR: the line w on a logarithmic axis of its own at the
/// right, with square points that can be dragged. Shift and a double click add or remove a point;
/// so do Insert and Del at the one that keys have chosen. It keeps nothing: the owner answers edited() with
/// show().
class WeightCurve : public QObject {
    Q_OBJECT
public:
    /// `below`: the chart's other points, which give way where both lie under the mouse.
    WeightCurve(PlotCard* card, DragPoints* below);
    void show(const std::optional<schedule::WeightPoints>& points);  ///< none: hidden
    void restyle(const QColor& color);
    /// `points` with one moved to (log-SNR, weight), as far as its neighbours let it, in round numbers.
    [[nodiscard]] static schedule::WeightPoints withPointAt(schedule::WeightPoints points, std::size_t index,
                                                            double logSnr, double weight);

Q_SIGNALS:
    /// Equal tags belong to one drag.
    void edited(const kurve::schedule::WeightPoints& points, const QString& tag);

private:
    void add(double logSnr);
    void addAfterChosen();
    void remove(std::size_t index);
    void drawLine();
    void fitAxis();

    PlotCard* card_;
    ChartLayers line_;
    QColor color_;
    DragPoints* handles_;
    schedule::WeightPoints points_;
    std::size_t held_ = 0;
    int drags_ = 0;
};

}  // namespace kurve::views
