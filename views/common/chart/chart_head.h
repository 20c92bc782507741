#pragma once

#include <QObject>
#include <QStringList>

#include "views/common/chart/axis_scale.h"

class QHBoxLayout;
class QToolButton;
class QVBoxLayout;

namespace kurve::views {

class ChartLegend;
class ElidedLabel;

/// The title row of a LineChart: name, unit and smoothing, the legend, which goes below them in a narrow
/// card, the scales of the axes, and fit.
class ChartHead : public QObject {
    Q_OBJECT
public:
    /// Adds its rows to the column of the card. `id`: the card's, of which the buttons get theirs.
    ChartHead(const QString& id, QWidget& card, QVBoxLayout& column);
    void setTitle(const QString& title, const QStringList& parts);
    void setAbout(const QString& tip);
    void setScales(AxisScale::Kind keys, AxisScale::Kind values);
    /// The legend uses the space of the buttons until the card is hovered; another scale stays visible, and
    /// so does fit after a zoom.
    void showButtons(bool hovered, bool zoomed);
    [[nodiscard]] ChartLegend& legend() { return *legend_; }
    /// After a change of the legend, the title or the card's size.
    void placeLegend();

Q_SIGNALS:
    void keyScaleClicked();
    void valueScaleClicked();
    void fitClicked();

private:
    QWidget& card_;
    ElidedLabel* title_;
    ChartLegend* legend_;
    QHBoxLayout *row_, *below_;  ///< positions of the legend: beside the title or below it
    QToolButton *keys_, *values_, *fit_;
};

}  // namespace kurve::views
