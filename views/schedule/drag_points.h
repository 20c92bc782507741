#pragma once

#include <QColor>
#include <QObject>
#include <optional>
#include <vector>

#include "views/common/qcustomplot.h"
#include "views/schedule/drawn_schedule.h"

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
    /// `adding`: the key that is held while a double click adds or removes.
    explicit DragPoints(PlotCard* card, QCPAxis* value = nullptr,
                        Qt::KeyboardModifiers adding = Qt::NoModifier);
    /// Where points of both lie under the mouse, those of the other are taken.
    void giveWayTo(DragPoints* other) { first_ = other; }
    void setPoints(std::vector<Point> points, int selected);  ///< selected: index of the schedule's point
    void restyle(const QColor& color, QCPScatterStyle::ScatterShape shape = QCPScatterStyle::ssCircle);
    [[nodiscard]] bool dragging() const { return held_.has_value(); }

Q_SIGNALS:
    void grabbed(kurve::views::Pane pane, std::size_t index);
    void moved(double x, double y);
    void released();
    void addWanted(double x);              ///< double click beside the points
    void removeWanted(std::size_t index);  ///< double click on one

private:
    void draw();
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release();
    void doubleClick(QMouseEvent* event);
    [[nodiscard]] std::optional<std::size_t> pointUnder(const QMouseEvent& event) const;

    PlotCard* card_;
    QCPGraph *all_, *selected_;
    Qt::KeyboardModifiers adding_;
    const DragPoints* first_ = nullptr;
    std::vector<Point> points_;
    int selectedIndex_ = -1;
    std::optional<std::size_t> held_;
    double awayX_ = 0, awayY_ = 0;  ///< pixels from the pointer to the held point
};

}  // namespace kurve::views
