#pragma once

#include <QJsonObject>
#include <QPointer>
#include <QString>
#include <QTimer>
#include <QWidget>
#include <array>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "views/common/chart_curve.h"
#include "views/common/theme.h"

class QAction;
class QCPItemStraightLine;
class QCPRange;
class QContextMenuEvent;
class QHBoxLayout;
class QCustomPlot;
class QMouseEvent;
class QToolButton;

namespace kurve::views {

class AxisSigns;
class ChartLegend;
class ElidedLabel;
class LimitsEditor;
class ViewKeys;

/// A chart with a title row (value readouts, which go below it in a narrow card, log switches, fit), live
/// data, event marks and a playhead line. Follows growing data until the user zooms or pans; F, Home or a
/// double click follows again. With the focus arrows go from point to point and read them out, Shift and
/// arrows pan, + and - zoom, Enter is a click. Limits of an axis that were set by hand hold against new data
/// and fit() until they are taken away; zoom and pan look beyond them for a while. Draws only while it is
/// visible.
class LineChart : public QWidget {
    Q_OBJECT
public:
    LineChart(const QString& id, const QString& title, QWidget* parent = nullptr);
    ~LineChart() override;

    void setTitle(const QString& title, const QString& unit = {}, const QString& tip = {});
    /// What runs along x; named in the hover text, not under every chart.
    void setKeyTitle(const QString& title);
    /// Replaces or extends a curve: if `x` begins with what was given before, only the rest is taken in.
    /// Where x falls (one metric over another) the points are joined in their order.
    void setCurve(const QString& id, const CurveLook& look, std::span<const double> x,
                  std::span<const double> y);
    void keepOnly(const QStringList& ids);  ///< removes all other curves
    /// A tinted band behind a curve that was set: a group's interval. Empty: none.
    void setBand(const QString& id, std::span<const double> x, std::span<const double> low,
                 std::span<const double> high);
    /// Drawn thicker, above the others; empty: none.
    void setMainCurve(const QString& id);
    /// Where the legend has little room values go before names.
    void setNamesFirst(bool on);
    /// The same and thicker still, for what is pointed at elsewhere. Unknown ids wait for their curves.
    void setPointed(const QStringList& ids);
    /// x are seconds since 1970 and are written as dates.
    void setKeyIsTime(bool on);
    /// A horizontal reference ("copying the source 51.7"); NaN removes it.
    void setReference(const QString& id, double y, const QString& label);
    struct Mark {
        double x = 0;
        QString kind, text;

        bool operator==(const Mark&) const = default;
    };
    void setMarks(std::vector<Mark> marks);
    void setPlayhead(double x);  ///< NaN hides it
    /// How values lie along an axis. On a log axis what is <= 0 is a tick in its gutter; dates are linear.
    using Scale = AxisScale::Kind;
    void setKeyScale(Scale scale);
    void setValueScale(Scale scale);
    [[nodiscard]] Scale keyScale() const { return scales_.keys.kind(); }
    [[nodiscard]] Scale valueScale() const { return scales_.values.kind(); }
    void nextKeyScale();    ///< linear, log, symlog, linear
    void nextValueScale();  ///< likewise
    [[nodiscard]] QStringList curveIds() const;
    /// All points of a curve as they were given, not as they are drawn; empty for an unknown id.
    struct Points {
        QString label;
        std::vector<double> x, y;
    };
    [[nodiscard]] Points pointsOf(const QString& id) const;
    /// The curve's value at the point nearest to x (of its average where that is drawn); NaN without points.
    [[nodiscard]] double valueAt(const QString& id, double x) const;
    /// The curve nearest to a place in the plot, within a few pixels; empty if none is.
    [[nodiscard]] QString curveAt(const QPointF& pixel) const;
    [[nodiscard]] const QString& title() const { return title_; }
    [[nodiscard]] const QString& keyTitle() const { return keyTitle_; }
    /// Of the curves that want it (CurveLook::smooth); named beside the title while one is smoothed.
    void setSmoothing(const series::Smoothing& smoothing);
    /// "EMA 0.94", "median of 17 points"; empty while no curve is smoothed.
    [[nodiscard]] QString smoothingText() const;
    void fit();
    /// Where the axes begin and end by hand; on a log axis a limit <= 0 waits for another scale.
    void setKeyLimits(const AxisLimits& limits);
    void setValueLimits(const AxisLimits& limits);
    [[nodiscard]] const AxisLimits& keyLimits() const { return keyLimits_; }
    [[nodiscard]] const AxisLimits& valueLimits() const { return valueLimits_; }
    /// Automatic ends of y leave out one percent of what is shown, at the top and at the bottom.
    void setIgnoringOutliers(bool on);
    [[nodiscard]] bool ignoresOutliers() const { return ignoresOutliers_; }
    /// The fields for the limits of x (horizontal) or y, over the chart.
    void editLimits(Qt::Orientation axis);
    void unlock();  ///< both axes automatic again
    /// "Points out of sight: 12 above, 3 below" of the last picture; empty if there are none. Of a chart that
    /// was zoomed in x by hand nothing is said about what lies before and after.
    [[nodiscard]] QString outsideText() const;
    /// Limits of y and what becomes of outliers, for the session; limits of x belong to what runs along it.
    [[nodiscard]] QJsonObject saveRange() const;
    void restoreRange(const QJsonObject& saved);
    /// The same stretch of x as another chart that was zoomed; does not emit.
    void setKeyRange(double low, double high);
    [[nodiscard]] bool isFollowing() const { return following_; }
    [[nodiscard]] bool hasData() const { return !curves_.empty(); }
    /// Without the line and the mark of the pointer, until that moves again.
    void hidePointer();
    /// Its axes stand where the curves that were set want them.
    [[nodiscard]] QCustomPlot* plot();

    QSize sizeHint() const override { return {px(300), px(180)}; }
    QSize minimumSizeHint() const override { return {px(180), px(110)}; }

Q_SIGNALS:
    void clickedAt(double x);
    void curveClicked(const QString& id);
    void curveHovered(const QString& id);  ///< the one under the pointer changed; empty: none
    /// A right click; `id` is the nearest curve or empty.
    void menuRequested(const QString& id, double x, const QPoint& globalPlace);
    void keyRangeChosen(double low, double high);  ///< zoomed or panned by hand
    void followChosen();
    void scaleChanged();
    void keyLimitsChanged();
    void rangeChoiceChanged();  ///< saveRange() differs

protected:
    void showEvent(QShowEvent* event) override;
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Reference {
        double y = 0;
        QString label;
        QCPItemStraightLine* line = nullptr;
    };
    /// What the axes show, to come back to.
    struct View {
        double left = 0, right = 0, bottom = 0, top = 0;
        bool following = true, valuesHeld = false;
    };
    void buildPlot();
    void buildZoom();
    void addKeys();
    void addZoomKeys(ViewKeys& keys);
    void addRangeActions(ViewKeys& keys);
    void applyTheme();
    void rescale(AxisScale& scale, Scale kind, double largest);
    void placeFixed();
    [[nodiscard]] double largest(std::vector<double> ChartCurve::Points::*part) const;
    void placeHover(const QPointF& pixel);
    void styleCurve(const QString& id);
    void nameTitle();
    void point(const QString& curve);
    void followData();
    void fitValues();
    [[nodiscard]] std::optional<ChartCurve::Places> valuesOfData() const;
    [[nodiscard]] QCPRange withMargins(double low, double high) const;
    void countOutside();
    [[nodiscard]] bool areDates() const;
    void fitByHand();
    void refitValues();
    void tellLocks();
    [[nodiscard]] View view() const;
    void setView(const View& view);
    /// Before a change of what is shown; several of one `kind` in a row are one step back.
    void rememberView(int kind);
    void goBack();
    void changedByHand(const View& before);
    void boxChosen(const QRect& box);
    void chooseStretch();
    void dropStretch();
    void updateLegend();
    void placeLegend();
    /// After a change of curves: range and legend are found once, before the next picture.
    void touch();
    void settle();
    /// After a change that may be too small to be seen: drawn at once, or a little later.
    void grow();
    void judge();
    void noteDrawn();
    [[nodiscard]] bool isInRange(double x) const;
    void hover(QMouseEvent* event);
    void queueReplot();
    void nameScales();
    void showButtons(bool hovered);
    void moveKeyCursor(int step);
    void zoomBy(double factor);
    void zoomValuesBy(double factor);
    void paintFocus();
    [[nodiscard]] QString cursorCurve() const;  ///< the main one, else the first with points

    QString title_, unit_, keyTitle_;
    QCustomPlot* plot_;
    ChartScales scales_;
    ElidedLabel* titleLabel_;
    ChartLegend* legend_;
    QHBoxLayout *head_ = nullptr,
                *below_ = nullptr;  ///< where the legend stands: beside the title or under it
    QToolButton* logX_;
    QToolButton* logY_;
    QToolButton* fit_;
    std::map<QString, std::unique_ptr<ChartCurve>> curves_;
    std::map<QString, Reference> references_;
    std::vector<Mark> marks_;
    std::vector<QCPItemStraightLine*> markLines_;
    QCPItemStraightLine* playhead_ = nullptr;
    QCPItemStraightLine* cursor_ = nullptr;
    series::Smoothing smoothing_;
    double playheadAt_;                                            ///< NaN: hidden
    double keyCursor_ = std::numeric_limits<double>::quiet_NaN();  ///< x where the keys stand
    QString main_, hovered_;
    QStringList pointed_;
    bool following_ = true, dirty_ = false, stale_ = false, judging_ = false, pressedAndMoved_ = false;
    bool valuesHeld_ = false;  ///< y was zoomed alone: it stays while x follows
    bool boxing_ = false, ignoresOutliers_ = false;
    AxisLimits keyLimits_, valueLimits_;
    AxisSigns* signs_ = nullptr;
    QPointer<LimitsEditor> editor_;
    QAction* outliers_ = nullptr;
    std::vector<View> views_;  ///< those before, the oldest first
    int lastKind_ = -1;        ///< of change, for rememberView()
    View pressed_;             ///< what was shown when the button went down
    double stretchFrom_ = std::numeric_limits<double>::quiet_NaN();  ///< where a stretch begins, by keys
    QCPItemStraightLine* stretch_ = nullptr;
    std::array<double, 5> drawn_{};  ///< both ranges and the playhead of the last picture
    QTimer late_;
};

}  // namespace kurve::views
