#pragma once

#include "views/common/chart/plot_card.h"
#include "views/common/table/view_table.h"

namespace kurve::views {

/// Heat map of one statistic through the denoising steps, a row for each layer or run, on one printed scale.
/// A click goes to a step. GUI thread.
class HeatStrip : public PlotCard {
    Q_OBJECT
public:
    explicit HeatStrip(const QString& id, QWidget* parent = nullptr);

    struct Row {
        QString title;
        std::vector<double> values;  ///< [steps]; NaN = none
    };
    void show(const QString& title, std::vector<Row> rows);
    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    void setPlayhead(int step);  ///< from 0
    /// Minimum and maximum; both 0 without any.
    [[nodiscard]] std::pair<double, double> range() const;
    [[nodiscard]] std::vector<ViewTable> tables() const override;
    QSize sizeHint() const override { return minimumSizeHint(); }

Q_SIGNALS:
    void stepChosen(int step);

protected:
    void showEvent(QShowEvent* event) override;

private:
    [[nodiscard]] int steps() const;
    void draw();
    void nameRows();
    void read(double x, double y);

    QString title_;
    std::vector<Row> rows_;
    int step_ = 0;
};

}  // namespace kurve::views
