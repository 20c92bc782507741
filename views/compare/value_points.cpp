#include "views/compare/value_points.h"

#include <QMouseEvent>
#include <algorithm>
#include <cmath>

#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr double kRowHeight = 26, kAround = 64;  ///< kAround: title and axis
constexpr double kNames = 190;                   ///< for the names of the rows

QString textOf(const ValuePoints::Row& row) {
    if (row.statistics.n == 0) return QStringLiteral("–");
    if (row.members.empty()) return numberText(row.statistics.mean);
    const QString half =
        row.statistics.n > 1 ? QStringLiteral(" ± ") + numberText(row.statistics.half, 2) : QString();
    return QStringLiteral("%1%2 (n %3)").arg(numberText(row.statistics.mean), half).arg(row.statistics.n);
}

QString tipOf(const ValuePoints::Row& row) {
    QStringList lines{QStringLiteral("%1: %2").arg(row.label, textOf(row))};
    if (row.statistics.n > 1)
        lines << QStringLiteral("lowest %1, highest %2")
                     .arg(numberText(row.statistics.min, 6), numberText(row.statistics.max, 6));
    for (const auto& [name, value] : row.members)
        lines << QStringLiteral("%1 %2").arg(name, numberText(value, 6));
    return lines.join(QLatin1Char('\n'));
}

}  // namespace

ValuePoints::ValuePoints(QWidget* parent)
    : PlotCard(QStringLiteral("compare.points"), QStringLiteral("Values of the runs or groups"), parent) {
    for (QCPAxis* axis : {plot()->yAxis, plot()->yAxis2}) axis->setRangeReversed(true);
    plot()->yAxis2->setVisible(true);
    plot()->yAxis2->setTickLabels(true);
    connect(this, &PlotCard::restyled, this, &ValuePoints::draw);
    connect(this, &PlotCard::hovered, this, [this](double, double y) {
        const Row* row = rowAt(y);
        plot()->setToolTip(row ? tipOf(*row) : toolTip());
    });
    connect(plot(), &QCustomPlot::mousePress, this, [this](QMouseEvent* event) {
        const Row* row = rowAt(coordsOf(*plot(), event->position()).y());
        if (event->button() == Qt::LeftButton && row) Q_EMIT rowClicked(row->id);
    });
}

void ValuePoints::setRows(const QString& title, const QString& barTitle, std::vector<Row> rows) {
    title_ = title;
    rows_ = std::move(rows);
    setTitle(barTitle.isEmpty() ? title : QStringLiteral("%1   (bar: %2)").arg(title, barTitle));
    QStringList texts;
    for (const Row& row : rows_) texts << QStringLiteral("%1: %2").arg(row.label, textOf(row));
    plot()->setAccessibleDescription(texts.join(QStringLiteral("; ")));
    setMinimumHeight(px(kAround + kRowHeight * static_cast<double>(rows_.size())));
    draw();
}

const ValuePoints::Row* ValuePoints::rowAt(double y) const {
    const double row = std::round(y);
    return row >= 0 && row < static_cast<double>(rows_.size()) ? &rows_[static_cast<std::size_t>(row)]
                                                               : nullptr;
}

double ValuePoints::xOf(double value) const {
    return plot()->xAxis->coordToPixel(value);
}

void ValuePoints::addRow(std::vector<ChartLayer>& layers, std::size_t index) const {
    using Form = ChartLayer::Form;
    const Row& row = rows_[index];
    const auto y = static_cast<double>(index);
    if (std::isfinite(row.low)) {
        layers.push_back({Form::Path, {}, {row.low, row.high}, {y, y}, row.style.pen(2.2)});
        layers.push_back({Form::Points, {}, {row.low, row.high}, {y, y}});
        layers.back().marker = {QCPScatterStyle::ssPlus, QPen(row.style.color, 2.2 * theme().scale),
                                Qt::NoBrush, 10 * theme().scale};
    }
    ChartLayer members{Form::Points};
    for (const auto& [name, value] : row.members) members.x.push_back(value), members.y.push_back(y);
    members.marker = {QCPScatterStyle::ssCircle, QPen(theme().text, theme().scale), Qt::NoBrush,
                      6 * theme().scale};
    layers.push_back(std::move(members));
    layers.push_back({Form::Points, row.label, {row.statistics.mean}, {y}});
    layers.back().marker = runMarker(row.style, 9);
}

void ValuePoints::draw() {
    const QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText), values(new QCPAxisTickerText);
    const QFontMetrics metrics(plot()->yAxis->tickLabelFont());
    std::vector<ChartLayer> layers;
    double low = INFINITY, high = -INFINITY;
    for (std::size_t i = 0; i < rows_.size(); ++i) {
        const Row& row = rows_[i];
        names->addTick(static_cast<double>(i), metrics.elidedText(row.label, Qt::ElideMiddle, px(kNames)));
        values->addTick(static_cast<double>(i), textOf(row));
        if (row.statistics.n > 0) addRow(layers, i);
        for (const double value : {row.statistics.min, row.statistics.max, row.low, row.high})
            if (std::isfinite(value)) low = std::min(low, value), high = std::max(high, value);
    }
    if (low > high) low = 0, high = 1;
    const double margin = high > low ? 0.05 * (high - low) : std::max(std::abs(low), 1.0) / 10;
    plot()->yAxis->setTicker(names);
    plot()->yAxis2->setTicker(values);
    plot()->xAxis->setRange(low - margin, high + margin);
    for (QCPAxis* axis : {plot()->yAxis, plot()->yAxis2})
        axis->setRange(-0.5, static_cast<double>(std::max<std::size_t>(rows_.size(), 1)) - 0.5);
    setLayers(layers);
}

std::vector<ViewTable> ValuePoints::tables() const {
    ViewTable table{title_, {"row", "mean", "± (95 %)", "n", "lowest", "highest"}, {}};
    for (const Row& row : rows_) {
        std::vector<ViewTable::Cell> cells{row.label};
        for (const double number : {row.statistics.mean, row.statistics.half, double(row.statistics.n),
                                    row.statistics.min, row.statistics.max})
            cells.push_back(std::isnan(number) ? ViewTable::Cell(QString()) : ViewTable::Cell(number));
        table.rows.push_back(std::move(cells));
    }
    return {table};
}

}  // namespace kurve::views
