#pragma once

#include <QString>
#include <QWidget>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "core/series/pyramid.h"
#include "core/series/smoothing.h"
#include "views/common/theme.h"

class QCPCurve;
class QCPGraph;
class QCPItemStraightLine;
class QContextMenuEvent;
class QCustomPlot;
class QLabel;
class QMouseEvent;
class QToolButton;

namespace kurve::views {

class ChartLegend;
class SeriesPlottable;

/// How one curve of a LineChart is drawn.
struct CurveLook {
    QString label;  ///< legend and hover text; empty: left out of the legend
    RunStyle style;
    bool smooth = false;   ///< the raw points faint, their debiased moving average over them
    bool markers = false;  ///< points marked while there is room for them
    double width = 1.6;
};

/// A chart with a title row (value readouts, log switches, fit), live data, event marks and a playhead line.
/// Follows growing data until the user zooms or pans; F or a double click follows again. Draws only while it
/// is visible.
class LineChart : public QWidget {
    Q_OBJECT
public:
    LineChart(const QString& id, const QString& title, QWidget* parent = nullptr);

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
    /// x are seconds since 1970 and are written as dates.
    void setKeyIsTime(bool on);
    /// A horizontal reference ("copying the source 51.7"); NaN removes it.
    void setReference(const QString& id, double y, const QString& label);
    struct Mark {
        double x = 0;
        QString kind, text;
    };
    void setMarks(std::vector<Mark> marks);
    void setPlayhead(double x);  ///< NaN hides it
    void setLogX(bool on);
    void setLogY(bool on);
    [[nodiscard]] bool logX() const;
    [[nodiscard]] bool logY() const;
    /// How values lie along y. On a log axis values <= 0 are ticks in the gutter at the bottom.
    enum class Scale : unsigned char { Linear, Log, SymLog };
    void setValueScale(Scale scale);
    [[nodiscard]] Scale valueScale() const { return valueScale_; }
    void nextValueScale();  ///< linear, log, symlog, linear
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
    /// 0 = raw only … 0.99; how much weight each point leaves to the next (see series::halfLifeOf).
    void setSmoothing(double weight);
    void fit();
    /// The same x range as another chart that was zoomed; does not emit.
    void setKeyRange(double low, double high);
    [[nodiscard]] bool isFollowing() const { return following_; }
    [[nodiscard]] bool hasData() const { return !curves_.empty(); }
    [[nodiscard]] QCustomPlot* plot() const { return plot_; }

    QSize sizeHint() const override { return {px(300), px(180)}; }
    QSize minimumSizeHint() const override { return {px(180), px(110)}; }

Q_SIGNALS:
    void clickedAt(double x);
    void curveClicked(const QString& id);
    /// A right click; `id` is the nearest curve or empty.
    void menuRequested(const QString& id, double x, const QPoint& globalPlace);
    void keyRangeChosen(double low, double high);  ///< zoomed or panned by hand
    void followChosen();
    void logChanged();

protected:
    void showEvent(QShowEvent* event) override;
    void enterEvent(QEnterEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void contextMenuEvent(QContextMenuEvent* event) override;

private:
    struct Curve {
        CurveLook look;
        std::shared_ptr<series::Pyramid> raw, smooth;
        std::unique_ptr<series::Ema> ema;
        SeriesPlottable* rawLine = nullptr;
        SeriesPlottable* smoothLine = nullptr;
        QCPCurve* path = nullptr;  ///< where x falls: then `raw` has the points in order of x, not drawn
        std::vector<double> givenX, givenY;  ///< of a path
        QCPGraph *bandLow = nullptr, *bandHigh = nullptr;
        std::vector<double> bandX, low, high;
    };
    struct Reference {
        double y = 0;
        QString label;
        QCPItemStraightLine* line = nullptr;
    };
    void buildPlot();
    void applyTheme();
    [[nodiscard]] double toPlot(double value) const;
    [[nodiscard]] double toValue(double place) const;
    [[nodiscard]] std::vector<double> toPlot(std::span<const double> values) const;
    void setPath(Curve& curve, std::span<const double> x, std::span<const double> y);
    void drawBand(Curve& curve);
    void removeParts(Curve& curve);
    void replaceUnit(double unit);
    [[nodiscard]] std::size_t nearestPoint(const Curve& curve, double x) const;
    [[nodiscard]] double distance(const Curve& curve, const QPointF& pixel) const;
    void placeHover(const QPointF& pixel);
    void styleCurve(Curve& curve);
    void resmooth(Curve& curve);
    void extendSmooth(Curve& curve, std::size_t from);
    void followData();
    void updateLegend();
    void hover(QMouseEvent* event);
    void chosenByHand();
    void queueReplot();
    void showButtons(bool hovered);

    QString title_, unit_, keyTitle_;
    QCustomPlot* plot_;
    QLabel* titleLabel_;
    ChartLegend* legend_;
    QToolButton* logX_;
    QToolButton* logY_;
    QToolButton* fit_;
    std::map<QString, Curve> curves_;
    std::map<QString, Reference> references_;
    std::vector<Mark> marks_;
    std::vector<QCPItemStraightLine*> markLines_;
    QCPItemStraightLine* playhead_ = nullptr;
    QCPItemStraightLine* cursor_ = nullptr;
    double smoothing_ = 0.9;
    Scale valueScale_ = Scale::Linear;
    double symlogUnit_ = 0;  ///< 0: y are plain values
    QString main_;
    bool following_ = true, dirty_ = false, pressedAndMoved_ = false;
};

}  // namespace kurve::views
