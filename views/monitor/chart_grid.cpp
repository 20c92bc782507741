#include "views/monitor/chart_grid.h"

#include <QEvent>
#include <QGridLayout>
#include <algorithm>

#include "views/common/theme/theme.h"

namespace kurve::views {

ChartGrid::ChartGrid(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(px(space::kSmall), 0, px(space::kSmall), px(space::kSmall));
    grid_->setSpacing(px(space::kSmall));
}

void ChartGrid::setCharts(std::vector<QWidget*> charts) {
    if (charts == charts_) return;
    for (QWidget* chart : charts_) {
        grid_->removeWidget(chart);
        chart->setVisible(std::find(charts.begin(), charts.end(), chart) != charts.end());
    }
    charts_ = std::move(charts);
    for (QWidget* chart : charts_) chart->show();
    arrange();
}

// By the parent's width, not by the own width: two columns that do not fit would keep themselves that wide.
int ChartGrid::wantedColumns() const {
    const int available = parentWidget() ? parentWidget()->width() : width();
    int widest = 0;
    for (const QWidget* chart : charts_) widest = std::max(widest, chart->minimumSizeHint().width());
    const int two = 2 * (widest + px(space::kSmall)) + px(space::kSmall);
    return available >= std::max(px(520), two) ? 2 : 1;
}

bool ChartGrid::event(QEvent* event) {
    if (event->type() == QEvent::ParentChange && parentWidget()) parentWidget()->installEventFilter(this);
    return QWidget::event(event);
}

bool ChartGrid::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget() && event->type() == QEvent::Resize && wantedColumns() != columns_)
        arrange();
    return QWidget::eventFilter(watched, event);
}

void ChartGrid::arrange() {
    columns_ = wantedColumns();
    for (int row = 0; row < grid_->rowCount(); ++row) grid_->setRowStretch(row, 0);
    for (std::size_t i = 0; i < charts_.size(); ++i) {
        const int row = static_cast<int>(i) / columns_;
        grid_->addWidget(charts_[i], row, static_cast<int>(i) % columns_);
        grid_->setRowStretch(row, 1);
    }
    // Alike, whatever their heads hold.
    for (int column = 0; column < 2; ++column) grid_->setColumnStretch(column, column < columns_ ? 1 : 0);
}

}  // namespace kurve::views
