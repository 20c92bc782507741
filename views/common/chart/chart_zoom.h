#pragma once

#include <QObject>
#include <QPointF>
#include <functional>
#include <limits>
#include <vector>

#include "views/common/chart/chart_curve.h"

class QMouseEvent;
class QRect;
class QWheelEvent;

namespace kurve::views {

class GuideLine;
class ViewKeys;

/// Zoom and pan of a chart's axes: the wheel over the plot or one axis, a drag, a box with Shift, keys, a
/// range between two positions of a cursor, and the views before. The chart follows its data along an axis
/// until the user zooms or pans that.
class ChartZoom : public QObject {
    Q_OBJECT
public:
    /// `chart` gets the focus, and the wheel only while it has it.
    ChartZoom(QCustomPlot& plot, const ChartScales& scales, QWidget& chart);
    /// Keys zoom at the cursor (coordinates, NaN: none), if it is visible. Arrows pan, or are the chart's.
    enum class Arrows : unsigned char { Pan, Chart };
    void addKeys(ViewKeys& keys, const std::function<QPointF()>& cursor, Arrows arrows = Arrows::Pan);
    /// A drag without Shift draws a box for the chart, which boxDrawn() reports, and does not pan.
    void setDrawsBoxes() { drawsBoxes_ = true; }
    void applyTheme();
    [[nodiscard]] bool isFollowing() const { return following_; }
    /// y was zoomed alone: it stays while x follows.
    [[nodiscard]] bool keepsValues() const { return valuesZoomed_; }
    [[nodiscard]] bool isAutomatic() const { return following_ && !valuesZoomed_; }
    void follow();  ///< on both axes
    void followValues() { valuesZoomed_ = false; }
    void reset();                               ///< as the user: follows, and is in the history
    void setKeyRange(double low, double high);  ///< values; no choice of the user
    void forget();                              ///< the views before
    void previousView();
    /// First call: one end of a range of x (a coordinate); second call: the other end, zooms to it.
    void selectRange(double key);

Q_SIGNALS:
    void changed();                                ///< the ranges, or what follows
    void keyRangeChosen(double low, double high);  ///< by the user, values
    void followChosen();                           ///< likewise
    void valuesFitWanted();                        ///< y of the range of x that is shown now
    void clicked(const QPointF& pixel);            ///< in the axes, without a drag
    void boxDrawn(const QRect& box);               ///< pixels; after setDrawsBoxes()

private:
    /// The axis ranges, for the history.
    struct View {
        double left = 0, right = 0, bottom = 0, top = 0;
        bool following = true, valuesZoomed = false;
    };
    [[nodiscard]] View view() const;
    /// Before a change; consecutive ones of one `kind` are one entry of the history.
    void remember(int kind);
    void note(const View& before);
    void press(QMouseEvent* event);
    void release(QMouseEvent* event);
    void zoomByWheel(QWheelEvent* event);
    void takeBox(const QRect& box);
    void cancelRange();

    QCustomPlot& plot_;
    const ChartScales& scales_;
    QWidget& chart_;
    bool following_ = true, valuesZoomed_ = false, boxing_ = false, pressedAndMoved_ = false;
    bool drawsBoxes_ = false, zoomsToBox_ = false;                 ///< of the box that is drawn
    std::vector<View> views_;                                      ///< history, the oldest first
    int lastKind_ = -1;                                            ///< of the last change, for remember()
    View pressed_;                                                 ///< when the mouse button was pressed
    double rangeFrom_ = std::numeric_limits<double>::quiet_NaN();  ///< start of a range selected by keys
    GuideLine* rangeLine_;
};

}  // namespace kurve::views
