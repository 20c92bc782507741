#pragma once

#include <QColor>
#include <QObject>
#include <optional>
#include <vector>

#include "views/schedule/drawn_schedule.h"

class QCPAxis;
class QCPGraph;
class QMouseEvent;

namespace kurve::views {

class PlotCard;

/// Points over a chart's curves that can be taken with the mouse. It moves nothing itself: the owner answers
/// moved() with setPoints().
class DragPoints : public QObject {
    Q_OBJECT
public:
    struct Point {
        Pane pane = Pane::LogSnr;
        std::size_t index = 0;  ///< of the schedule's point
        double x = 0, y = 0;    ///< in the axes
    };
    /// `value`: the vertical axis of the points; null = the plot's left one.
    explicit DragPoints(PlotCard* card, QCPAxis* value = nullptr);
    void setPoints(std::vector<Point> points, int selected);  ///< selected: index of the schedule's point
    void restyle(const QColor& color);
    [[nodiscard]] bool dragging() const { return held_.has_value(); }

Q_SIGNALS:
    void grabbed(kurve::views::Pane pane, std::size_t index);
    void moved(double x, double y);
    void released();
    void addWanted(double x);  ///< double click beside the points

private:
    void draw();
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release();
    void doubleClick(QMouseEvent* event);
    [[nodiscard]] std::optional<std::size_t> pointUnder(const QMouseEvent& event) const;

    PlotCard* card_;
    QCPGraph *all_, *selected_;
    std::vector<Point> points_;
    int selectedIndex_ = -1;
    std::optional<std::size_t> held_;
    double awayX_ = 0, awayY_ = 0;  ///< pixels from the pointer to the held point
};

}  // namespace kurve::views
