#pragma once

#include <QString>
#include <QWidget>
#include <vector>

#include "views/common/table/view_table.h"

namespace kurve::views {

/// Heat map of one statistic through the denoising steps, a row for each layer or run, on one printed scale.
/// A click goes to a step. GUI thread.
class HeatStrip : public QWidget, public HasTables {
    Q_OBJECT
public:
    explicit HeatStrip(QWidget* parent = nullptr);

    struct Row {
        QString title;
        std::vector<double> values;  ///< [steps]; NaN = none
    };
    void show(const QString& title, std::vector<Row> rows);
    [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }
    void setPlayhead(int step);  ///< from 0
    /// Minimum and maximum; both 0 without any.
    [[nodiscard]] std::pair<double, double> range() const;
    /// The cell under a pixel: column = step, row; (-1, -1) = none.
    [[nodiscard]] QPoint cellAt(const QPoint& pixel) const;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] std::vector<ViewTable> tables() const override;

Q_SIGNALS:
    void stepChosen(int step);

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;

private:
    [[nodiscard]] int steps() const;
    [[nodiscard]] QRectF area() const;

    QString title_;
    std::vector<Row> rows_;
    int step_ = 0;
};

}  // namespace kurve::views
