#pragma once

#include <QSet>
#include <vector>

#include "views/common/chart/plot_card.h"
#include "views/common/table/view_table.h"
#include "views/compare/explore_axis.h"

namespace kurve::views {

class ChoiceBox;

/// Runs as marks over two of the axes in which they differ. Dragging a box filters the runs, with Shift
/// zooms; a click, or Enter at the key cursor, chooses a run.
class ScatterPlot : public PlotCard {
    Q_OBJECT
public:
    explicit ScatterPlot(QWidget* parent = nullptr);
    /// `ids` are drawn strong, the others faint.
    void setRuns(std::vector<store::RunSummary> runs, const std::vector<ExploreAxis>& axes);
    void setMatching(const QStringList& ids);
    void setChosen(const QStringList& ids);
    /// Keys of the axes along x and y that the user chose, also while no run has them; empty: the first ones.
    void wantAxes(const QString& x, const QString& y);
    [[nodiscard]] std::pair<QString, QString> wantedAxes() const;
    [[nodiscard]] std::vector<ViewTable> tables() const override;

Q_SIGNALS:
    void brushed(const QString& terms);
    void runChosen(const QString& id);
    void axesChosen();

private:
    void fillAxes();
    void draw();
    void takeBox(const QRect& box);
    void addKeys();
    /// To the next run along x, or the one before.
    void moveCursor(int step);
    void showCursor();
    void choose(const store::RunSummary* run);
    [[nodiscard]] const ExploreAxis* axis(const ChoiceBox* box) const;
    [[nodiscard]] QPointF positionOf(const store::RunSummary& run) const;  ///< NaN where it lacks a value
    [[nodiscard]] QString textOf(const store::RunSummary& run) const;
    [[nodiscard]] const store::RunSummary* runAt(const QPointF& pixel) const;
    [[nodiscard]] const store::RunSummary* runOf(const QString& id) const;

    std::vector<store::RunSummary> runs_;
    std::vector<ExploreAxis> axes_;
    QSet<QString> matching_;
    QStringList chosen_;
    ChoiceBox *x_, *y_;
    QString cursor_;  ///< the run of the key cursor
    ChartLayers marks_;
};

}  // namespace kurve::views
