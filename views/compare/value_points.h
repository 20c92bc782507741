#pragma once

#include <QString>
#include <QWidget>
#include <utility>
#include <vector>

#include "core/series/student.h"
#include "views/common/table/view_table.h"
#include "views/common/theme/theme.h"

namespace kurve::views {

/// Single values of a metric without curves: a row for each run or group with a point at its value or mean, a
/// bar for the interval, and small rings for the members.
class ValuePoints : public QWidget, public HasTables {
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
    [[nodiscard]] double xOf(double value) const;  ///< pixels from the left
    [[nodiscard]] std::vector<ViewTable> tables() const override;
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void rowClicked(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    [[nodiscard]] int labelWidth() const;
    [[nodiscard]] int textWidth() const;
    [[nodiscard]] double rowHeight() const;
    [[nodiscard]] double middleOf(std::size_t row) const;
    [[nodiscard]] const Row* rowAt(const QPoint& pixel) const;
    [[nodiscard]] QString textOf(const Row& row) const;
    void drawAxis(QPainter& painter) const;
    void drawRow(QPainter& painter, std::size_t row) const;

    QString title_, barTitle_;
    std::vector<Row> rows_;
    double low_ = 0, high_ = 1;
};

}  // namespace kurve::views
