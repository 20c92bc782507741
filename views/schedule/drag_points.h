#pragma once

#include <QColor>
#include <QObject>
#include <optional>
#include <vector>

#include "core/schedule/drawn_schedule.h"
#include "views/common/chart/qcustomplot.h"

class QMouseEvent;

namespace kurve::views {

class PlotCard;
class ViewKeys;

/// Points over a chart's curves that can be dragged with the mouse, or chosen and moved with keys while the
/// chart has the focus. It moves nothing itself: the owner answers moved() with setPoints().
class DragPoints : public QObject {
    Q_OBJECT
public:
    struct Point {
        schedule::Pane pane = schedule::Pane::LogSnr;
        std::size_t index = 0;  ///< of the schedule's point
        double x = 0, y = 0;    ///< in the axes
    };
    struct Kind {
        QString section;                                ///< their section in F1
        QCPAxis* value = nullptr;                       ///< their vertical axis; null = the plot's left one
        Qt::KeyboardModifiers adding = Qt::NoModifier;  ///< held while a double click adds or removes
    };
    DragPoints(PlotCard* card, const Kind& kind);
    /// Where points of both lie under the mouse, those of the other are dragged; by keys they come after
    /// these.
    void giveWayTo(DragPoints* other);
    void setPoints(std::vector<Point> points, int selected);  ///< selected: index of the schedule's point
    void restyle(const QColor& color, QCPScatterStyle::ScatterShape shape = QCPScatterStyle::ssCircle);
    [[nodiscard]] bool dragging() const { return held_.has_value(); }
    /// The one that keys move, as its index among those of setPoints().
    [[nodiscard]] std::optional<std::size_t> chosen() const { return chosen_; }
    [[nodiscard]] ViewKeys& keys() { return *keys_; }

Q_SIGNALS:
    void pointChosen(std::size_t index);  ///< by keys
    void grabbed(kurve::schedule::Pane pane, std::size_t index);
    void moved(double x, double y);
    void released();
    void addWanted(double x);              ///< double click beside the points
    void removeWanted(std::size_t index);  ///< double click on one

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void addKeys();
    void choose(std::optional<std::size_t> point);
    void chooseNext(int step);
    void nudge(int across, int up);
    void read();
    [[nodiscard]] bool hasKeys() const;
    void draw();
    void press(QMouseEvent* event);
    void move(QMouseEvent* event);
    void release();
    void doubleClick(QMouseEvent* event);
    [[nodiscard]] std::optional<std::size_t> pointUnder(const QMouseEvent& event) const;

    PlotCard* card_;
    QCPGraph *all_, *selected_, *ring_;
    Qt::KeyboardModifiers adding_;
    ViewKeys* keys_;
    DragPoints *first_ = nullptr, *after_ = nullptr;  ///< gives way to; goes before
    std::vector<Point> points_;
    int selectedIndex_ = -1;
    std::optional<std::size_t> held_, chosen_;
    bool heldByKeys_ = false;
    double awayX_ = 0, awayY_ = 0;  ///< pixels from the pointer to the held point
};

}  // namespace kurve::views
