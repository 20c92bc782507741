#include "views/monitor/chart_grid.h"

#include <QGridLayout>

#include "views/common/theme.h"

namespace kurve::views {

ChartGrid::ChartGrid(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(px(space::kSmall), 0, px(space::kSmall), px(space::kSmall));
    grid_->setSpacing(px(space::kSmall));
}

void ChartGrid::setCharts(std::vector<QWidget*> charts) {
    charts_ = std::move(charts);
    arrange();
}

int ChartGrid::wantedColumns() const {
    return width() >= px(520) ? 2 : 1;
}

void ChartGrid::arrange() {
    columns_ = wantedColumns();
    for (int row = 0; row < grid_->rowCount(); ++row) grid_->setRowStretch(row, 0);
    for (std::size_t i = 0; i < charts_.size(); ++i) {
        const int row = static_cast<int>(i) / columns_;
        grid_->addWidget(charts_[i], row, static_cast<int>(i) % columns_);
        grid_->setRowStretch(row, 1);
    }
}

void ChartGrid::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    if (wantedColumns() != columns_) arrange();
}

}  // namespace kurve::views
