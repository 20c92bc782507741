#pragma once

#include <utility>
#include <vector>

#include "core/series/student.h"
#include "views/common/chart/plot_card.h"
#include "views/common/table/view_table.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

/// Single values of a metric without curves: a row for each run or group with a point at its value or mean, a
/// bar for the interval, and small rings for the members.
class ValuePoints : public PlotCard {
    Q_OBJECT
public:
    struct Row {
        QString id, label;
        RunStyle style;
        series::SampleStatistics statistics;
        double low = series::SampleStatistics::kNone,
               high = series::SampleStatistics::kNone;         ///< the bar; NaN: none
        std::vector<std::pair<QString, double>> members = {};  ///< of a group; empty: a run
    };
    explicit ValuePoints(QWidget* parent = nullptr);
    /// `barTitle`: label of the bar, "95 % CI".
    void setRows(const QString& title, const QString& barTitle, std::vector<Row> rows);
    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    [[nodiscard]] double xOf(double value) const;  ///< pixels from the left of the plot
    [[nodiscard]] std::vector<ViewTable> tables() const override;
    QSize sizeHint() const override { return {px(420), minimumHeight()}; }

Q_SIGNALS:
    void rowClicked(const QString& id);

private:
    void draw();
    void addRow(std::vector<ChartLayer>& layers, std::size_t index) const;
    [[nodiscard]] const Row* rowAt(double y) const;

    QString title_;
    std::vector<Row> rows_;
};

}  // namespace kurve::views
