#include "views/states/heat_strip.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "views/common/chart/map_gradient.h"
#include "views/common/chart/plot_points.h"
#include "views/common/chart/plot_style.h"
#include "views/common/text/distinguishing_label.h"
#include "views/common/text/format.h"

namespace kurve::views {

namespace {

constexpr double kMaxTitles = 0.25;    ///< of the width
constexpr double kLeastColour = 0.09;  ///< below the lowest value, of the range

}  // namespace

HeatStrip::HeatStrip(const QString& id, QWidget* parent) : PlotCard(id, tr("Heat map"), parent) {
    plot()->setMinimumSize(px(160), px(44));
    plot()->yAxis->setRangeReversed(true);
    readByKeys(PlotCard::Reading::Cells);
    const auto choose = [this](double x) {
        if (const int step = static_cast<int>(std::lround(x)) - 1; step >= 0 && step < steps())
            Q_EMIT stepChosen(step);
    };
    connect(this, &PlotCard::restyled, this, &HeatStrip::draw);
    connect(this, &PlotCard::hovered, this, &HeatStrip::read);
    connect(this, &PlotCard::entered, this, choose);
    connect(plot(), &QCustomPlot::mousePress, this, [this, choose](const QMouseEvent* event) {
        if (event->button() == Qt::LeftButton) choose(coordsOf(*plot(), event->position()).x());
    });
    connect(plot(), &QCustomPlot::beforeReplot, this, &HeatStrip::nameRows);
}

void HeatStrip::show(const QString& title, std::vector<Row> rows) {
    title_ = title;
    rows_ = std::move(rows);
    setTitle(title);
    plot()->setAccessibleName(tr("%1, heat map").arg(title));
    draw();
}

void HeatStrip::setPlayhead(int step) {
    if (std::exchange(step_, step) != step && isVisible()) draw();
}

void HeatStrip::showEvent(QShowEvent* event) {
    PlotCard::showEvent(event);
    draw();
}

int HeatStrip::steps() const {
    std::size_t most = 0;
    for (const Row& row : rows_) most = std::max(most, row.values.size());
    return static_cast<int>(most);
}

std::pair<double, double> HeatStrip::range() const {
    double low = INFINITY, high = -INFINITY;
    for (const Row& row : rows_)
        for (const double value : row.values)
            if (std::isfinite(value)) {
                low = std::min(low, value);
                high = std::max(high, value);
            }
    return low > high ? std::pair(0.0, 0.0) : std::pair(low, high);
}

/// As many as fit, elided to a quarter of the width.
void HeatStrip::nameRows() {
    const QFontMetrics metrics(plot()->yAxis->tickLabelFont());
    const double height = plot()->axisRect()->height() / std::max(1.0, static_cast<double>(rows_.size()));
    const auto each =
        static_cast<std::size_t>(std::max(1.0, std::ceil(0.8 * metrics.height() / std::max(height, 1.0))));
    const auto measure = [&](const QString& text) { return metrics.horizontalAdvance(text); };
    QStringList titles;
    for (const Row& row : rows_) titles << row.title;
    const QSharedPointer<QCPAxisTickerText> names(new QCPAxisTickerText);
    for (std::size_t row = 0; row < rows_.size(); row += each)
        names->addTick(
            static_cast<double>(row),
            distinguishingLabel(rows_[row].title, titles, static_cast<int>(kMaxTitles * width()), measure));
    plot()->yAxis->setTicker(names);
}

void HeatStrip::draw() {
    const int columns = steps(), rows = static_cast<int>(rows_.size());
    for (QCPAxis* axis : {plot()->xAxis, plot()->yAxis}) axis->grid()->setVisible(false);
    plot()->axisRect()->setBackground(theme().grid);  // of steps without a value
    plot()->xAxis->setRange(0.5, columns + 0.5);
    plot()->yAxis->setRange(-0.5, rows - 0.5);
    if (columns == 0) return setLayers({});
    const auto [low, high] = range();
    // The lowest value has a colour of its own, a single one that of the middle.
    const QCPRange colours =
        high > low ? QCPRange(low - kLeastColour * (high - low), high) : QCPRange(low - 1, low + 1);
    ChartCells cells{columns, rows, {}, mapGradient(false), colours};
    for (const Row& row : rows_) {
        cells.values.insert(cells.values.end(), row.values.begin(), row.values.end());
        cells.values.resize(cells.values.size() + static_cast<std::size_t>(columns) - row.values.size(), NAN);
    }
    // A single row or column spans its range; of several these are the outer centres.
    const auto spanned = [](double first, int count) -> std::vector<double> {
        if (count == 1) return {first - 0.5, first + 0.5};
        return {first, first + count - 1};
    };
    ChartLayer map{ChartLayer::Form::Cells, {}, spanned(1, columns), spanned(0, rows)};
    map.cells = std::make_shared<ChartCells>(std::move(cells));
    const double left = step_ + 0.5, right = left + 1, bottom = rows - 0.5;
    const ChartLayer playhead{ChartLayer::Form::Path,
                              {},
                              {left, right, right, left, left},
                              {-0.5, -0.5, bottom, bottom, -0.5},
                              QPen(theme().text, px(1.5))};
    setAxisTitle(plot()->xAxis,
                 tr("denoising step; light %1 … dark %2").arg(numberText(low, 3), numberText(high, 3)));
    setLayers({map, playhead});
}

void HeatStrip::read(double x, double y) {
    const double row = std::round(y), step = std::round(x);
    if (row < 0 || row >= static_cast<double>(rows_.size()) || step < 1 || step > steps()) return;
    const Row& shown = rows_[static_cast<std::size_t>(row)];
    const auto at = static_cast<std::size_t>(step) - 1;
    setReadout({tr("%1, step %2: %3")
                    .arg(shown.title)
                    .arg(step)
                    .arg(at < shown.values.size() ? numberText(shown.values[at], 4) : tr("none"))});
}

std::vector<ViewTable> HeatStrip::tables() const {
    ViewTable table{title_, {"step"}, {}};
    for (const Row& row : rows_) table.columns << row.title;
    for (int step = 0; step < steps(); ++step) {
        table.rows.push_back({step + 1.0});
        for (const Row& row : rows_)
            table.rows.back().emplace_back(step < static_cast<int>(row.values.size())
                                               ? row.values[static_cast<std::size_t>(step)]
                                               : NAN);
    }
    return {table};
}

}  // namespace kurve::views
