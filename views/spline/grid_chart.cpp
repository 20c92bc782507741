#include "views/spline/grid_chart.h"

#include <QComboBox>
#include <cmath>
#include <limits>

#include "views/common/chart/map_gradient.h"
#include "views/common/chart/plot_style.h"
#include "views/common/chart/qcustomplot.h"
#include "views/common/form/controls.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"

namespace kurve::views {

GridChart::GridChart(QWidget* parent)
    : PlotCard(QStringLiteral("spline.grid"), tr("Reconstruction error"), parent), precision_(new QComboBox) {
    describe(precision_, "spline.grid.precision", tr("Precision of the inverse"),
             tr("Singular values below the precision's cut-off are dropped"));
    precision_->addItems({tr("float32"), tr("float64")});
    addToTitle(precision_);
    setAxisTitle(plot()->xAxis, tr("control points per word ρ"));
    setAxisTitle(plot()->yAxis, tr("degree k"));
    const QSharedPointer<QCPAxisTickerText> across(new QCPAxisTickerText), down(new QCPAxisTickerText);
    for (std::size_t i = 0; i < curve::gridRules().size(); ++i)
        down->addTick(static_cast<double>(i), QString::fromStdString(curve::gridRules()[i].name));
    connect(plot(), &QCustomPlot::beforeReplot, this, [this, across] { nameColumns(*across); });
    plot()->xAxis->setTicker(across);
    plot()->yAxis->setTicker(down);
    plot()->yAxis->setRangeReversed(true);
    connect(precision_, &QComboBox::currentIndexChanged, this, &GridChart::draw);
    readByKeys(PlotCard::Reading::Cells);
    connect(this, &PlotCard::entered, this, &GridChart::choose);
    connect(this, &PlotCard::restyled, this, &GridChart::restyle);
    connect(this, &PlotCard::hovered, this, &GridChart::read);
    connect(plot(), &QCustomPlot::mousePress, this, &GridChart::choose);
    restyle();
}

/// Every column, or every second one where their names would run into each other.
void GridChart::nameColumns(QCPAxisTickerText& names) const {
    const QFontMetrics metrics(plot()->xAxis->tickLabelFont());
    int widest = 0;
    for (const double rho : curve::gridRhos())
        widest = std::max(widest, metrics.horizontalAdvance(numberText(rho)) + px(4));
    const auto count = static_cast<int>(curve::gridRhos().size());
    const int each = widest * count <= plot()->axisRect()->width() ? 1 : 2;
    names.clear();
    for (int i = 0; i < count; i += each)
        names.addTick(i, numberText(curve::gridRhos()[static_cast<std::size_t>(i)]));
}

void GridChart::show(const curve::SplineShape& shape) {
    const bool same =
        shape.words == shape_.words && shape.margin == shape_.margin && shape.knots == shape_.knots;
    shape_ = shape;
    if (same) return;
    begin();
}

void GridChart::begin() {
    rows_.assign(curve::gridRules().size(), std::nullopt);
    drawn_ = 0;
    next();
    draw();
}

void GridChart::next() {
    background_.run([shape = shape_, rule = drawn_](
                        const CancelToken& cancel) { return curve::gridRow(shape, rule, cancel); },
                    [this](const curve::GridRow& row) { take(row); });
}

void GridChart::take(const curve::GridRow& row) {
    rows_[static_cast<std::size_t>(row.rule)] = row;
    ++drawn_;
    if (drawn_ < static_cast<int>(rows_.size())) next();
    draw();
}

void GridChart::draw() {
    const auto columns = static_cast<int>(curve::gridRhos().size()),
               rows = static_cast<int>(curve::gridRules().size());
    ChartLayer map{ChartLayer::Form::Cells, {}, {0, columns - 1.0}, {0, rows - 1.0}};
    ChartCells cells{columns, rows, {}, mapGradient(false), {0, 0.5}};
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            const curve::ReconstructionCell* cell = cellAt(c, r);
            cells.values.push_back(cell == nullptr                   ? NAN
                                   : precision_->currentIndex() == 0 ? cell->mse32
                                                                     : cell->mse64);
        }
    map.cells = std::make_shared<ChartCells>(std::move(cells));
    plot()->xAxis->setRange(-0.5, columns - 0.5);
    plot()->yAxis->setRange(-0.5, rows - 0.5);
    setCaption(
        {drawn_ < rows
             ? tr("%1, %2 of %3 rows").arg(countedText(shape_.words, tr("word"))).arg(drawn_).arg(rows)
             : tr("%1; click a cell (or press Enter) to use it").arg(countedText(shape_.words, tr("word")))});
    setLayers({map});
}

void GridChart::restyle() {
    plot()->xAxis->grid()->setVisible(false);
    plot()->yAxis->grid()->setVisible(false);
    if (!rows_.empty()) draw();
}

const curve::ReconstructionCell* GridChart::cellAt(double x, double y) const {
    const auto column = static_cast<std::size_t>(std::lround(x)),
               row = static_cast<std::size_t>(std::lround(y));
    if (row >= rows_.size() || !rows_[row] || column >= rows_[row]->cells.size()) return nullptr;
    return &rows_[row]->cells[column];
}

void GridChart::read(double x, double y) {
    x_ = x;
    y_ = y;
    const curve::ReconstructionCell* cell = cellAt(x, y);
    if (cell == nullptr) return;
    setReadout({tr("%1 × %2, k %3").arg(cell->words).arg(cell->controlPoints).arg(cell->degree),
                tr("float32 %1").arg(numberText(cell->mse32, 3)),
                tr("float64 %1").arg(numberText(cell->mse64, 3))});
}

void GridChart::choose() {
    if (cellAt(x_, y_) == nullptr) return;
    Q_EMIT cellChosen(curve::gridRhos()[static_cast<std::size_t>(std::lround(x_))],
                      static_cast<int>(std::lround(y_)));
}

}  // namespace kurve::views
