#pragma once

#include <QPolygonF>
#include <functional>

#include "views/common/chart/plot_card.h"
#include "views/frontier/frontier_model.h"

class QMouseEvent;

namespace kurve::views {

/// The plane: the points (their size grows with the cost), the seeds' ellipse, the Pareto line of each
/// run, the references' diversity, a line that is dragged to the diversity to compare at and one to the
/// quality, and points that are selected with a lasso. Zoomed like the other charts; the zoom and the two
/// lines stay until the axes, the zoom until the runs are other ones.
class FrontierChart : public PlotCard {
    Q_OBJECT
public:
    explicit FrontierChart(QWidget* parent = nullptr);

    /// `axisText` gives a metric's title with its unit. The plane must outlive the next show().
    void show(const Plane& plane, const std::function<QString(const QString& metric)>& axisText);
    [[nodiscard]] double slice() const { return slice_; }  ///< a diversity
    [[nodiscard]] double level() const { return level_; }  ///< a quality
    void setSlice(double x);                               ///< clamped to the points' range, as the next
    void setLevel(double y);
    void nudgeSlice(int direction);  ///< by a hundredth of the range, as the next
    void nudgeLevel(int direction);
    /// Curve and point under the mouse or pinned; -1 = none.
    struct PointIndex {
        int curve = -1, point = -1;
        [[nodiscard]] bool valid() const { return curve >= 0; }
        bool operator==(const PointIndex&) const = default;
    };
    [[nodiscard]] PointIndex pinned() const { return pinned_; }
    void pin(PointIndex index);
    void pinNext(int direction);  ///< along the points by growing diversity
    void openPinned();
    void openMenu();  ///< as a right click at the pinned point, or in the middle
    [[nodiscard]] const std::vector<PointIndex>& chosen() const { return chosen_; }
    void choose(std::vector<PointIndex> indices);
    void toggle(PointIndex index);
    /// While on, a drag draws a lasso instead of moving the plane; Shift and a drag do so at any time.
    void setLasso(bool on);
    [[nodiscard]] bool lasso() const { return lassoMode_; }
    /// The points inside a closed line of the plot's pixels.
    [[nodiscard]] std::vector<PointIndex> inside(const QPolygonF& outline) const;

Q_SIGNALS:
    void pointHovered(kurve::views::FrontierChart::PointIndex index);
    void pinnedChanged(kurve::views::FrontierChart::PointIndex index);
    void opened(kurve::views::FrontierChart::PointIndex index);
    void sliceChanged(double x);
    void levelChanged(double y);
    void chosenChanged();
    void lassoChanged(bool on);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    enum class Drag : unsigned char { None, Point, Slice, Level, Lasso };
    [[nodiscard]] bool hasPoints() const;
    void takeRange(const QString& xTitle, const QString& yTitle);
    void draw();
    void fitAll();
    void addCurve(std::vector<ChartLayer>& layers, const FrontCurve& curve, double cheapest,
                  double dearest) const;
    void addReference(std::vector<ChartLayer>& layers) const;
    void crossOutRepetitive(std::vector<ChartLayer>& layers) const;
    [[nodiscard]] ChartLayer sizes() const;
    void reserveTextSpace();
    void updateMarks();
    [[nodiscard]] std::vector<PointIndex> allPoints() const;
    [[nodiscard]] QPointF pointAt(PointIndex index) const;
    [[nodiscard]] PointIndex nearest(const QPointF& pixel) const;
    [[nodiscard]] Drag lineAt(const QPointF& pixel) const;
    bool moved(const QPointF& at);
    bool pressed(const QMouseEvent& mouse);
    bool released();

    const Plane* plane_ = nullptr;
    QString xTitle_, yTitle_;
    QStringList runs_;
    ChartLayers marks_;  ///< pinned and chosen points, the lasso, the slices
    QString sizes_;      ///< the text at the bottom
    /// The range of the quality for the points alone.
    double lowest_ = 0, highest_ = 1;
    double slice_ = 0, low_ = 0, high_ = 1;
    double level_ = 0, bottom_ = 0, top_ = 1;
    bool lassoMode_ = false;
    Drag drag_ = Drag::None;
    QPolygonF drawn_;  ///< the lasso so far, in pixels
    PointIndex pinned_, hovered_;
    std::vector<PointIndex> chosen_;
};

}  // namespace kurve::views
