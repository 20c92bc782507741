#include "views/spline/map_chart.h"

#include <QComboBox>
#include <algorithm>
#include <cmath>

#include "views/common/chart/map_gradient.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/form/controls.h"
#include "views/common/text/format.h"
#include "views/spline/whole_ticker.h"

namespace kurve::views {

MapChart::MapChart(QWidget* parent)
    : PlotCard(QStringLiteral("spline.map"), tr("Map"), parent), choice_(new QComboBox) {
    describe(choice_, "spline.map.shown", tr("Matrix shown"));
    choice_->addItems({tr("Ψ: words from control points"), tr("Ψ⁺: control points from words"),
                       tr("ΨΨᵀ: coupling of words")});
    addToTitle(choice_);
    QCustomPlot* picture = plot();
    scale_ = new QCPColorScale(picture);
    picture->plotLayout()->addElement(0, 1, scale_);
    scale_->setType(QCPAxis::atRight);
    auto* group = new QCPMarginGroup(picture);
    picture->axisRect()->setMarginGroup(QCP::msBottom | QCP::msTop, group);
    scale_->setMarginGroup(QCP::msBottom | QCP::msTop, group);
    for (QCPAxis* axis : {picture->xAxis, picture->yAxis})
        axis->setTicker(QSharedPointer<WholeTicker>::create());
    picture->yAxis->setRangeReversed(true);  // the first word on top, as it is read
    connect(choice_, &QComboBox::currentIndexChanged, this, &MapChart::mapChosen);
    readByKeys(PlotCard::Reading::Cells);
    connect(this, &PlotCard::restyled, this, &MapChart::restyle);
    connect(this, &PlotCard::hovered, this, &MapChart::read);
    connect(this, &PlotCard::left, this, [this] { Q_EMIT wordHovered(-1); });
    restyle();
}

curve::SplineMap MapChart::chosen() const {
    return static_cast<curve::SplineMap>(choice_->currentIndex());
}

void MapChart::show(const curve::SplinePicture& picture) {
    picture_ = picture;
    draw();
}

void MapChart::draw() {
    const curve::Matrix& matrix = picture_.map;
    const bool isPsi = picture_.shown == curve::SplineMap::Psi,
               isInverse = picture_.shown == curve::SplineMap::Inverse;
    const int rows = matrix.rows, columns = matrix.cols;
    double most = 0;
    std::vector<double> values;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            values.push_back(matrix.at(r, c));
            most = std::max(most, std::abs(values.back()));
        }
    const QCPColorGradient gradient = mapGradient(isInverse);
    const QCPRange range(isInverse ? -most : 0, most);
    scale_->setGradient(gradient);
    scale_->setDataRange(range);
    ChartLayer map{
        ChartLayer::Form::Cells, {}, {1, std::max<double>(columns, 2)}, {1, std::max<double>(rows, 2)}};
    map.cells = std::make_shared<ChartCells>(ChartCells{columns, rows, std::move(values), gradient, range});
    std::vector<double> at, level;
    for (int j = 0; isPsi && j < columns; ++j)
        if (picture_.basis[static_cast<std::size_t>(j)].dead) at.push_back(j + 1), level.push_back(rows + 1);
    const QString words = tr("word i"), points = tr("control point j");
    setAxisTitle(plot()->xAxis, isPsi ? points : words);
    setAxisTitle(plot()->yAxis, isInverse ? points : words);
    plot()->xAxis->setRange(0.5, columns + 0.5);
    plot()->yAxis->setRange(0.5, rows + (at.empty() ? 0.5 : 1.5));
    const QString deadText = QStringLiteral("<span style='color:%1'>✕</span>&nbsp;%2")
                                 .arg(theme().bad.name(), tr("no word depends on it"));
    setCaption({at.empty() ? tr("%1 × %2").arg(rows).arg(columns) : deadText});
    ChartLayer dead{ChartLayer::Form::Points, tr("no word depends on it"), at, level};
    const QPen cross(theme().bad, 1.4 * theme().scale);
    dead.marker = {QCPScatterStyle::ssCross, cross, Qt::NoBrush, 5 * theme().scale};
    setLayers({map, dead});
}

void MapChart::restyle() {
    scale_->setBarWidth(px(8));
    scale_->axis()->setTickLabelFont(smallFont());
    scale_->axis()->setTickLabelColor(theme().muted);
    scale_->axis()->setBasePen(QPen(theme().border));
    scale_->axis()->setTickPen(QPen(theme().border));
    scale_->axis()->setSubTickPen(Qt::NoPen);
    scale_->axis()->ticker()->setTickCount(3);
    for (QCPAxis* side : scale_->axis()->axisRect()->axes()) side->setBasePen(QPen(theme().border));
    plot()->xAxis->grid()->setVisible(false);
    plot()->yAxis->grid()->setVisible(false);
    if (picture_.map.rows > 0) draw();
}

void MapChart::read(double x, double y) {
    const int column = static_cast<int>(std::lround(x)) - 1, row = static_cast<int>(std::lround(y)) - 1;
    const curve::Matrix& matrix = picture_.map;
    if (row < 0 || column < 0 || row >= matrix.rows || column >= matrix.cols) {
        Q_EMIT wordHovered(-1);
        return;
    }
    const QString value = numberText(matrix.at(row, column), 3);
    const bool isInverse = picture_.shown == curve::SplineMap::Inverse;
    const int word = isInverse ? column : row, other = isInverse ? row : column;
    setReadout({picture_.shown == curve::SplineMap::Coupling
                    ? tr("word %1, word %2: %3").arg(word + 1).arg(other + 1).arg(value)
                    : tr("word %1, control point %2: %3").arg(word + 1).arg(other + 1).arg(value)});
    Q_EMIT wordHovered(word);
}

}  // namespace kurve::views
