#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "views/common/chart/qcustomplot.h"

namespace kurve::views {

/// The cells of a heat map.
struct ChartCells {
    int columns = 0, rows = 0;
    std::vector<double> values = {};  ///< row by row, from the first y; NaN: no cell
    QCPColorGradient gradient = {};
    QCPRange range = {};  ///< of the values, from the first to the last colour
};

/// Something drawn over the axes of a plot: points and their look, in the current theme.
struct ChartLayer {
    enum class Form : unsigned char {
        Line,             ///< through the points, sorted by x
        Path,             ///< through the points in their order; NaN is a gap
        Points,           ///< markers only
        Rug,              ///< ticks at the bottom, above the curves, `y` as a fraction of the height
        Cells,            ///< between the centres x[0] and x[1] of the outer columns, y likewise
        Bars,             ///< side by side with those of other layers
        VerticalGuide,    ///< a line at x[0] from edge to edge
        HorizontalGuide,  ///< a line at y[0] from edge to edge
        Zone,             ///< behind everything, between x[0] and x[1] from edge to edge
        Label             ///< `name` at the point, in the pen's colour and on the brush, above everything
    };
    Form form = Form::Line;
    QString name = {};  ///< in exported tables
    std::vector<double> x = {}, y = {};
    QPen pen = Qt::NoPen;
    QBrush brush = Qt::NoBrush;  ///< of bars, or below a line
    QCPScatterStyle marker = {};
    QCPAxis* valueAxis = nullptr;  ///< null: the left one
    std::shared_ptr<const ChartCells> cells = nullptr;
    double barWidth = 1;         ///< in x
    bool untilPrevious = false;  ///< the brush of a line ends at the layer before, a line too
    Qt::Alignment alignment = Qt::AlignRight | Qt::AlignBottom;  ///< the part of a label that is at the point
    Qt::Orientations fractions = {};  ///< coordinates of a label in widths or heights, from the top left
};

/// The layers of a plot, drawn in their order. Reuses the plot's items, so that layers can be shown anew with
/// every movement of the mouse.
class ChartLayers {
public:
    /// `on`: a layer of the plot, which is added above the curves if it is not there.
    explicit ChartLayers(QCustomPlot& plot, const QString& on = QStringLiteral("main"));
    /// Instead of those before; replotting is the caller's.
    void show(const std::vector<ChartLayer>& layers);

private:
    template <class Part>
    Part* part(std::size_t index, const std::function<Part*()>& make);
    void keep(std::size_t count);
    void draw(std::size_t index, const ChartLayer& layer);
    QCPColorMap* drawCells(std::size_t index, const ChartLayer& layer);
    QCPGraph* drawGraph(std::size_t index, const ChartLayer& layer);
    void drawGuide(std::size_t index, const ChartLayer& layer);
    void drawZone(std::size_t index, const ChartLayer& layer);
    void drawLabel(std::size_t index, const ChartLayer& layer);

    QCustomPlot& plot_;
    QString on_;
    QCPBarsGroup* beside_ = nullptr;
    std::vector<QCPLayerable*> parts_;  ///< plottables and items; the plot owns them
};

}  // namespace kurve::views
