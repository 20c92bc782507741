#pragma once

#include <QJsonObject>
#include <QPointer>
#include <QString>
#include <QWidget>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "views/common/chart/chart_layers.h"
#include "views/common/chart/chart_ranges.h"
#include "views/common/chart/chart_zoom.h"
#include "views/common/table/view_table.h"
#include "views/common/theme/theme.h"

class QAction;
class QContextMenuEvent;
class QMouseEvent;

namespace kurve::views {

class ChartHead;
class GuideLine;
class LimitsEditor;

/// A chart with a title row (legend with values, which goes below it in a narrow card, log switches, fit),
/// live data, event marks and a playhead line. Follows growing data until the user zooms or pans; F, Home or
/// a double click follows again. With the focus, arrows move from point to point and show their values, Shift
/// and arrows pan, + and - zoom, Enter is a click. User-set axis limits apply to new data and fit() until
/// they are reset; zoom and pan may leave them temporarily. Draws only while it is visible.
class LineChart : public QWidget, public Exported {
    Q_OBJECT
public:
    LineChart(const QString& id, const QString& title, QWidget* parent = nullptr);
    ~LineChart() override;

    void setTitle(const QString& title, const QString& unit = {}, const QString& tip = {});
    /// What runs along x; named in the hover text, not under every chart.
    void setKeyTitle(const QString& title);
    /// Replaces or extends a curve: if x begins with what was given before, only the rest is taken in.
    /// Where x falls (one metric over another) the points are joined in their order.
    void setCurve(const QString& id, const CurveSpec& spec, const CurvePoints& points);
    void setCurve(const QString& id, const CurveSpec& spec, std::span<const double> x,
                  std::span<const double> y);
    void keepOnly(const QStringList& ids);  ///< removes all other curves
    /// A tinted band behind a curve that was set: a group's interval. Empty: none.
    void setBand(const QString& id, std::span<const double> x, std::span<const double> low,
                 std::span<const double> high);
    /// Drawn thicker, above the others; empty: none.
    void setMainCurve(const QString& id);
    /// In a narrow legend values are dropped before names.
    void setNamesFirst(bool on);
    /// The same, thicker still, for what is hovered elsewhere. Unknown ids apply once their curves exist.
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
    /// The scale of an axis. On a log axis values <= 0 are ticks in its gutter; dates are linear.
    using Scale = AxisScale::Kind;
    void setKeyScale(Scale scale);
    void setValueScale(Scale scale);
    [[nodiscard]] Scale keyScale() const { return scales_.keys.kind(); }
    [[nodiscard]] Scale valueScale() const { return scales_.values.kind(); }
    void nextKeyScale();    ///< linear, log, symlog, linear
    void nextValueScale();  ///< likewise
    /// The curve's value at the point nearest to x (of its average where that is drawn); NaN without points.
    [[nodiscard]] double valueAt(const QString& id, double x) const;
    /// As the legend has it; none without points.
    [[nodiscard]] std::optional<double> lastValue(const QString& id) const;
    /// The curve nearest to a position in the plot, within a few pixels; empty if none.
    [[nodiscard]] QString curveAt(const QPointF& pixel) const;
    [[nodiscard]] const QString& title() const { return title_; }
    /// Applies to curves with CurveSpec::smooth; named beside the title while one is smoothed.
    void setSmoothing(const series::Smoothing& smoothing);
    /// "EMA 0.94", "median of 17 points"; empty while no curve is smoothed.
    [[nodiscard]] QString smoothingText() const;
    void fit();
    /// User-set axis limits; on a log axis a limit <= 0 applies only after a change of the scale.
    void setKeyLimits(const AxisLimits& limits);
    void setValueLimits(const AxisLimits& limits);
    [[nodiscard]] const AxisLimits& keyLimits() const { return ranges_.keyLimits; }
    [[nodiscard]] const AxisLimits& valueLimits() const { return ranges_.valueLimits; }
    /// Automatic y limits ignore one percent of the shown values at the top and at the bottom.
    void setIgnoringOutliers(bool on);
    [[nodiscard]] bool ignoresOutliers() const { return ranges_.ignoresOutliers; }
    /// The fields for the limits of x (horizontal) or y, over the chart.
    void editLimits(Qt::Orientation axis);
    void unlock();  ///< both axes automatic again
    /// "Points outside the range: 12 above, 3 below" of the last replot; empty if there are none.
    [[nodiscard]] QString outsideText() const { return ranges_.outsideText(); }
    /// Limits of y and outlier handling, for the session; limits of x belong to the quantity along x.
    [[nodiscard]] QJsonObject saveRange() const;
    void restoreRange(const QJsonObject& saved);
    /// The same x range as another chart that was zoomed; does not emit.
    void setKeyRange(double low, double high) { zoom_->setKeyRange(low, high); }
    [[nodiscard]] bool isFollowing() const { return zoom_->isFollowing(); }
    [[nodiscard]] bool hasData() const { return !curves_.empty(); }
    /// Every point of every curve.
    [[nodiscard]] std::vector<ViewTable> tables() const override;
    /// With axes updated for the current curves.
    [[nodiscard]] QCustomPlot* plot();
    void prepareFigure() override;

    QSize sizeHint() const override { return {px(300), px(180)}; }
    QSize minimumSizeHint() const override { return {px(180), px(110)}; }

Q_SIGNALS:
    void clickedAt(double x);
    void curveClicked(const QString& id);
    void curveHovered(const QString& id);  ///< the one under the pointer changed; empty: none
    /// A right click; `id` is the nearest curve or empty.
    void menuRequested(const QString& id, double x, const QPoint& globalPosition);
    void keyRangeChosen(double low, double high);  ///< zoomed or panned by the user
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
    };
    void buildPlot();
    void addKeys();
    void addRangeActions(ViewKeys& keys);
    void applyTheme();
    void rescale(AxisScale& scale, Scale kind, double largest);
    [[nodiscard]] double largest(std::vector<double> ChartCurve::Points::*part) const;
    void placeHover(const QPointF& pixel);
    void hidePointer();
    void styleCurve(const QString& id);
    void nameTitle();
    void point(const QString& curve);
    void followData();
    void fitValues();
    [[nodiscard]] bool areDates() const;
    void resetView();
    void refitValues();
    void showLimitsHint();
    void drawGuides(bool any);
    void updateLegend();
    /// After a change of curves: range and legend are updated once, before the next replot.
    void touch();
    void settle();
    void queueReplot();
    void nameScales();
    void showButtons(bool hovered);
    void moveKeyCursor(int step);
    [[nodiscard]] QPointF keyCursorPoint() const;  ///< coordinates; NaN without a cursor
    [[nodiscard]] QString cursorCurve() const;     ///< the main one, else the first with points

    QString title_, unit_, keyTitle_;
    QCustomPlot* plot_;
    ChartScales scales_;
    ChartHead* head_ = nullptr;
    std::map<QString, std::unique_ptr<ChartCurve>> curves_;
    std::map<QString, Reference> references_;
    std::vector<Mark> marks_;
    GuideLine *playhead_, *cursor_;
    ChartLayers guides_;
    series::Smoothing smoothing_;
    double playheadAt_;                                            ///< NaN: hidden
    double keyCursor_ = std::numeric_limits<double>::quiet_NaN();  ///< x of the key cursor
    QString main_, hovered_;
    QStringList pointed_;
    bool dirty_ = false, stale_ = false;
    ChartRanges ranges_;
    ChartZoom* zoom_;
    QPointer<LimitsEditor> editor_;
    QAction* outliers_ = nullptr;
};

}  // namespace kurve::views
