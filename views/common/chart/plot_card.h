#pragma once

#include <QFrame>
#include <QPointF>
#include <QStringList>
#include <functional>
#include <optional>

#include "views/common/chart/chart_layers.h"
#include "views/common/chart/chart_zoom.h"
#include "views/common/table/view_table.h"

class QLabel;

namespace kurve::views {

class ElidedLabel;
class GuideLine;

/// A titled card with one plot in the current theme and a caption: a legend, or the values under the mouse.
/// Replots on demand: call queueReplot(), or show layers.
class PlotCard : public QFrame, public Exported {
    Q_OBJECT
public:
    PlotCard(const QString& id, const QString& title, QWidget* parent = nullptr);
    [[nodiscard]] QCustomPlot* plot() const { return plot_; }
    void setTitle(const QString& title);
    /// Describe them anew after restyled().
    void setLayers(const std::vector<ChartLayer>& layers);
    /// The text right of the title while the mouse is elsewhere: rich texts, the last ones dropped in a
    /// narrow card.
    void setCaption(const QStringList& parts);
    void setReadout(const QStringList& parts);  ///< instead of the caption until the mouse leaves the plot
    /// A widget between title and caption (a choice of what is shown).
    void addToTitle(QWidget* widget, int stretch = 0);
    /// Without frame and title row: a part of another card.
    void setPart();
    void queueReplot();
    enum class Reading : unsigned char { Along, Cells };
    /// Enables a key cursor: the arrows move the position reported by hovered(), along x by a hundredth of
    /// the range, or from cell to cell (at whole numbers of both axes); with Shift ten times as far.
    void readByKeys(Reading reading);
    /// Zoom and pan by mouse and keys, listed in F1 under `title`. `fit` sets the ranges of all data: in
    /// fitData() until the user zooms, and after Home, a double click or fit(). Keys zoom at `cursor` (NaN:
    /// none).
    struct Zoom {
        QString title;
        std::function<void()> fit;
        std::function<QPointF()> cursor;
        ChartZoom::Arrows arrows = ChartZoom::Arrows::Pan;
    };
    ViewKeys& makeZoomable(Zoom zoom);
    void fitData();
    void fit();
    void setOtherAxes();  ///< the ranges of before do not apply, nor the views before
    [[nodiscard]] ChartZoom* zoom() const { return zoom_; }
    /// Rich text of a short line in a colour with its name, for captions.
    [[nodiscard]] static QString key(const QColor& color, const QString& text,
                                     const QString& glyph = QStringLiteral("━"));

    /// The points, bars and cells of its layers by name.
    [[nodiscard]] std::vector<ViewTable> tables() const override;
    QSize sizeHint() const override;

Q_SIGNALS:
    void restyled();  ///< the theme changed: show the layers again
    void hovered(double x, double y);
    void entered(double x, double y);  ///< Enter at the key cursor
    void left();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void showParts(const QStringList& parts);
    void moveReading(int across, int down);
    void showReading(bool on);

    ElidedLabel* title_;
    QLabel* caption_;
    QCustomPlot* plot_;
    ChartLayers layers_;
    QStringList captionParts_, shownParts_;
    std::optional<QPointF> readAt_;                  ///< the key cursor
    GuideLine *across_ = nullptr, *down_ = nullptr;  ///< through it
    Reading reading_ = Reading::Along;
    ChartScales scales_;
    ChartZoom* zoom_ = nullptr;  ///< null: not zoomable
    std::function<void()> fit_;
};

}  // namespace kurve::views
