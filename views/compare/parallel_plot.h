#pragma once

#include <QPixmap>
#include <QWidget>
#include <map>
#include <vector>

#include "views/common/table/view_table.h"
#include "views/compare/explore_axis.h"

namespace kurve::views {

/// Runs as lines through parallel axes; where a run has no value its line has a gap. Dragging along an axis
/// filters the runs; a click beside the lines on the axis clears its filter. Drawn once and cached until
/// something changes.
class ParallelPlot : public QWidget, public Exported {
    Q_OBJECT
public:
    explicit ParallelPlot(QWidget* parent = nullptr);
    /// Brushes keep their values where an axis has other ends; those without their axis are dropped.
    void setRuns(std::vector<store::RunSummary> runs, std::vector<ExploreAxis> axes);
    void setChosen(const QStringList& ids);
    void clearBrushes();
    /// The brushes as terms of a RunFilter; empty without any.
    [[nodiscard]] QString terms() const;
    [[nodiscard]] bool matches(const store::RunSummary& run) const;
    [[nodiscard]] double axisX(std::size_t axis) const;  ///< pixels
    [[nodiscard]] double yOf(double position) const;
    [[nodiscard]] std::vector<ViewTable> tables() const override;
    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void brushed(const QString& terms);
    void runChosen(const QString& id);

protected:
    void paintEvent(QPaintEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Brush {
        double from = 0, to = 1;  ///< positions of its axis; 0 and 1: no limit
    };
    void drawRuns(QPainter& painter) const;
    void drawAxes(QPainter& painter) const;
    void stale();
    void addKeys();
    void goToAxis(int axis);
    void clearBrush();
    void moveBrush(int edge, double by);
    void announceBrush();
    [[nodiscard]] int axisAt(double x) const;  ///< -1: none is near
    [[nodiscard]] double positionAt(double y) const;
    [[nodiscard]] const store::RunSummary* runAt(const QPointF& pixel) const;
    /// Split at the axes without a value of the run.
    [[nodiscard]] std::vector<QPolygonF> linesOf(const store::RunSummary& run) const;

    std::vector<store::RunSummary> runs_;
    std::vector<ExploreAxis> axes_;
    std::map<std::string, Brush> brushes_;  ///< by the axis' key
    QStringList chosen_;
    QPixmap drawn_;
    int dragged_ = -1, keyAxis_ = 0;  ///< keyAxis_: the axis of the keyboard
    double dragStart_ = 0;
    bool moved_ = false;
};

}  // namespace kurve::views
