#pragma once

#include <QWidget>
#include <functional>

#include "views/frontier/frontier_model.h"

class QCustomPlot;
class QCPCurve;
class QCPItemStraightLine;

namespace kurve::views {

/// The plane: a dot per point (its size grows with the cost), the seeds' ellipse, the Pareto line of each
/// run, the references' diversity, and a vertical line that is dragged to the diversity to compare at.
class FrontierChart : public QWidget {
    Q_OBJECT
public:
    explicit FrontierChart(QWidget* parent = nullptr);

    /// `axisText` gives a metric's title with its unit. The plane must outlive the next show().
    void show(const Plane& plane, const std::function<QString(const QString& metric)>& axisText);
    [[nodiscard]] double slice() const { return slice_; }
    void setSlice(double x);         ///< clamped to the dots' range
    void nudgeSlice(int direction);  ///< by a hundredth of the range
    /// Curve and dot under the mouse or pinned; -1 = none.
    struct Place {
        int curve = -1, dot = -1;
        [[nodiscard]] bool valid() const { return curve >= 0; }
        bool operator==(const Place& other) const { return curve == other.curve && dot == other.dot; }
    };
    [[nodiscard]] Place pinned() const { return pinned_; }
    void pin(Place place);
    void pinNext(int direction);  ///< along the dots by growing diversity
    [[nodiscard]] QCustomPlot* plot() const { return plot_; }

Q_SIGNALS:
    void hovered(kurve::views::FrontierChart::Place place);
    void pinnedChanged(kurve::views::FrontierChart::Place place);
    void opened(kurve::views::FrontierChart::Place place);
    void sliceChanged(double x);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void rebuild();
    void addCurve(const FrontCurve& curve, double cheapest, double dearest);
    void addEllipse(const frontier::Ellipse& ellipse, const QColor& color);
    void addReference();
    void addMarks();
    void placeMarks();
    [[nodiscard]] Place nearest(const QPointF& pixel) const;
    [[nodiscard]] bool onSlice(const QPointF& pixel) const;

    const Plane* plane_ = nullptr;
    QString xTitle_, yTitle_;
    QCustomPlot* plot_;
    QCPCurve* ring_ = nullptr;             ///< around the pinned dot; the plot owns it, as
    QCPItemStraightLine* line_ = nullptr;  ///< the slice; both made anew by rebuild()
    double slice_ = 0, low_ = 0, high_ = 1;
    bool sliced_ = false, dragging_ = false;
    Place pinned_, hovered_;
};

}  // namespace kurve::views
