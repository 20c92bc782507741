#include "views/common/shell/card_grid.h"

#include <QGridLayout>
#include <QResizeEvent>
#include <algorithm>
#include <utility>

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {
constexpr int kTwoColumns = 520, kLeastWidth = 188, kLeastHeight = 120;
}  // namespace

CardGrid::CardGrid(const QMargins& margins, QWidget* parent) : QScrollArea(parent), grid_(new QGridLayout) {
    auto* page = new QWidget;
    page->setLayout(grid_);
    grid_->setContentsMargins(margins);
    grid_->setSpacing(px(space::kSmall));
    setWidget(page);
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setFocusPolicy(Qt::NoFocus);
    setMinimumSize(px(kLeastWidth), px(kLeastHeight));
    // The panel's background shows between the cards.
    for (QWidget* part : {page, viewport()}) part->setAutoFillBackground(false);
}

void CardGrid::setCells(std::vector<Cell> cells, std::vector<int> rowStretches,
                        std::vector<int> columnStretches) {
    for (const Cell& before : cells_) {
        grid_->removeWidget(before.card);
        before.card->setVisible(std::any_of(cells.begin(), cells.end(),
                                            [&](const Cell& cell) { return cell.card == before.card; }));
    }
    cells_ = std::move(cells);
    rowStretches_ = std::move(rowStretches);
    columnStretches_ = std::move(columnStretches);
    arrange();
    for (const Cell& cell : cells_) cell.card->show();
}

void CardGrid::setCards(const std::vector<QWidget*>& cards) {
    const auto same = [](const Cell& cell, const QWidget* card) { return cell.card == card; };
    if (std::equal(cells_.begin(), cells_.end(), cards.begin(), cards.end(), same)) return;
    const int columns = cards.size() > 1 ? 2 : 1;
    std::vector<Cell> cells;
    for (int i = 0; i < static_cast<int>(cards.size()); ++i)
        cells.push_back({cards[static_cast<std::size_t>(i)], i / columns, i % columns});
    setCells(std::move(cells), std::vector<int>((cards.size() + 1) / 2 + 1, 1), std::vector<int>(2, 1));
}

void CardGrid::arrange() {
    for (int row = 0; row < grid_->rowCount(); ++row) grid_->setRowStretch(row, 0);
    for (int column = 0; column < grid_->columnCount(); ++column) grid_->setColumnStretch(column, 0);
    int next = 0, most = 0;
    for (Cell cell : cells_) {
        int stretch = 0;
        for (int row = cell.row; row < cell.row + cell.rows; ++row)
            stretch += rowStretches_[static_cast<std::size_t>(row)];
        if (narrow_) cell = {cell.card, next++};
        grid_->addWidget(cell.card, cell.row, cell.column, cell.rows, cell.columns);
        if (narrow_ || cell.rows == 1) grid_->setRowStretch(cell.row, stretch);
        most = std::max(most, cell.column + cell.columns);
    }
    for (int column = 0; column < most; ++column)
        grid_->setColumnStretch(column, narrow_ ? 1 : columnStretches_[static_cast<std::size_t>(column)]);
}

void CardGrid::resizeEvent(QResizeEvent* event) {
    // By the available width: two columns that do not fit would keep the page that wide.
    const bool narrow = width() < px(kTwoColumns);
    if (std::exchange(narrow_, narrow) != narrow) arrange();
    QScrollArea::resizeEvent(event);
}

}  // namespace kurve::views
