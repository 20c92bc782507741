#include "views/common/chart/chart_layers.h"

#include "views/common/chart/guide_line.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

using Form = ChartLayer::Form;

const QString kTexts = QStringLiteral("texts");

QVector<double> inQt(const std::vector<double>& values) {
    return {values.begin(), values.end()};
}

QString layerNamed(QCustomPlot& plot, const QString& name) {
    if (plot.layer(name) == nullptr)
        plot.addLayer(name, plot.layer(QStringLiteral("main")), QCustomPlot::limAbove);
    return name;
}

}  // namespace

ChartLayers::ChartLayers(QCustomPlot& plot, const QString& on) : plot_(plot), on_(layerNamed(plot, on)) {}

void ChartLayers::show(const std::vector<ChartLayer>& layers) {
    for (std::size_t i = 0; i < layers.size(); ++i) draw(i, layers[i]);
    keep(layers.size());
}

void ChartLayers::keep(std::size_t count) {
    for (; parts_.size() > count; parts_.pop_back())
        if (auto* item = qobject_cast<QCPAbstractItem*>(parts_.back()))
            plot_.removeItem(item);
        else
            plot_.removePlottable(qobject_cast<QCPAbstractPlottable*>(parts_.back()));
}

/// The one that is there, if it is of this kind; a new one is drawn above all that are kept.
template <class Part>
Part* ChartLayers::part(std::size_t index, const std::function<Part*()>& make) {
    if (index < parts_.size())
        if (auto* known = qobject_cast<Part*>(parts_[index])) return known;
    keep(index);
    Part* made = make();
    made->setLayer(on_);
    parts_.push_back(made);
    return made;
}

void ChartLayers::draw(std::size_t index, const ChartLayer& layer) {
    if (layer.form == Form::VerticalGuide || layer.form == Form::HorizontalGuide)
        return drawGuide(index, layer);
    if (layer.form == Form::Zone) return drawZone(index, layer);
    if (layer.form == Form::Label) return drawLabel(index, layer);
    QCPAxis* up = layer.valueAxis != nullptr ? layer.valueAxis : plot_.yAxis;
    QCPAbstractPlottable* drawn = nullptr;
    if (layer.form == Form::Path) {
        auto* path = part<QCPCurve>(index, [&] { return new QCPCurve(plot_.xAxis, up); });
        path->setData(inQt(layer.x), inQt(layer.y));
        path->setScatterStyle(layer.marker);
        drawn = path;
    } else if (layer.form == Form::Bars) {
        auto* bars = part<QCPBars>(index, [&] { return new QCPBars(plot_.xAxis, up); });
        if (beside_ == nullptr) {
            beside_ = new QCPBarsGroup(&plot_);
            beside_->setSpacing(0);
        }
        bars->setBarsGroup(beside_);
        bars->setWidth(layer.barWidth);
        bars->setData(inQt(layer.x), inQt(layer.y), true);
        drawn = bars;
    } else if (layer.form == Form::Cells) {
        drawn = drawCells(index, layer);
    } else {
        drawn = drawGraph(index, layer);
    }
    drawn->setValueAxis(layer.form == Form::Rug ? plot_.yAxis2 : up);
    drawn->setName(layer.name);
    drawn->setPen(layer.pen);
    drawn->setBrush(layer.brush);
}

QCPColorMap* ChartLayers::drawCells(std::size_t index, const ChartLayer& layer) {
    const ChartCells& cells = *layer.cells;
    auto* map = part<QCPColorMap>(index, [&] { return new QCPColorMap(plot_.xAxis, plot_.yAxis); });
    map->setInterpolate(false);
    map->data()->setSize(cells.columns, cells.rows);
    map->data()->setRange({layer.x.front(), layer.x.back()}, {layer.y.front(), layer.y.back()});
    for (std::size_t i = 0; i < cells.values.size(); ++i) {
        const int cell = static_cast<int>(i);
        map->data()->setCell(cell % cells.columns, cell / cells.columns, cells.values[i]);
    }
    QCPColorGradient gradient = cells.gradient;
    gradient.setNanHandling(QCPColorGradient::nhTransparent);
    map->setGradient(gradient);
    map->setDataRange(cells.range);
    return map;
}

QCPGraph* ChartLayers::drawGraph(std::size_t index, const ChartLayer& layer) {
    auto* graph = part<QCPGraph>(index, [&] { return new QCPGraph(plot_.xAxis, plot_.yAxis); });
    graph->setData(inQt(layer.x), inQt(layer.y));
    graph->setScatterStyle(layer.marker);
    graph->setLineStyle(layer.form == Form::Line  ? QCPGraph::lsLine
                        : layer.form == Form::Rug ? QCPGraph::lsImpulse
                                                  : QCPGraph::lsNone);
    graph->setAdaptiveSampling(layer.form == Form::Points);  // thinning frays smooth curves
    graph->setChannelFillGraph(layer.untilPrevious ? qobject_cast<QCPGraph*>(parts_[index - 1]) : nullptr);
    const QString on = layer.form == Form::Rug ? layerNamed(plot_, QStringLiteral("rug")) : on_;
    if (graph->layer()->name() != on) graph->setLayer(on);
    if (layer.form == Form::Rug) plot_.yAxis2->setRange(0, 1);
    return graph;
}

void ChartLayers::drawGuide(std::size_t index, const ChartLayer& layer) {
    const auto orientation = layer.form == Form::VerticalGuide ? Qt::Vertical : Qt::Horizontal;
    if (index < parts_.size())
        if (const auto* known = qobject_cast<GuideLine*>(parts_[index]);
            known != nullptr && known->orientation() != orientation)
            keep(index);
    auto* guide = part<GuideLine>(index, [&] { return new GuideLine(&plot_, orientation); });
    guide->setAt(orientation == Qt::Vertical ? layer.x.front() : layer.y.front());
    guide->setPen(layer.pen);
}

void ChartLayers::drawZone(std::size_t index, const ChartLayer& layer) {
    auto* zone = part<QCPItemRect>(index, [&] { return new QCPItemRect(&plot_); });
    zone->setLayer(QStringLiteral("background"));
    for (QCPItemPosition* corner : {zone->topLeft, zone->bottomRight})
        corner->setTypeY(QCPItemPosition::ptAxisRectRatio);
    zone->topLeft->setCoords(layer.x.front(), 0);
    zone->bottomRight->setCoords(layer.x.back(), 1);
    zone->setPen(layer.pen);
    zone->setBrush(layer.brush);
}

void ChartLayers::drawLabel(std::size_t index, const ChartLayer& layer) {
    const auto kind = [&](Qt::Orientation axis) {
        return layer.fractions.testFlag(axis) ? QCPItemPosition::ptAxisRectRatio
                                              : QCPItemPosition::ptPlotCoords;
    };
    if (plot_.layer(kTexts) == nullptr) plot_.addLayer(kTexts);
    auto* label = part<QCPItemText>(index, [&] { return new QCPItemText(&plot_); });
    label->setLayer(kTexts);
    label->position->setTypeX(kind(Qt::Horizontal));
    label->position->setTypeY(kind(Qt::Vertical));
    label->position->setCoords(layer.x.front(), layer.y.front());
    label->setPositionAlignment(layer.alignment);
    label->setTextAlignment(layer.alignment & Qt::AlignHorizontal_Mask);
    label->setText(layer.name);
    label->setFont(smallFont());
    label->setColor(layer.pen.color());
    label->setBrush(layer.brush);
    if (layer.brush != Qt::NoBrush) label->setPadding({px(4), px(2), px(4), px(2)});
}

}  // namespace kurve::views
