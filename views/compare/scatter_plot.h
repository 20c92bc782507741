#pragma once

#include <QWidget>
#include <vector>

#include "views/common/chart/chart_layers.h"
#include "views/common/table/view_table.h"
#include "views/compare/explore_axis.h"

class QComboBox;

namespace kurve::views {

/// Runs as marks over two of the axes in which they differ. Dragging a box filters the runs.
class ScatterPlot : public QWidget, public HasTables {
    Q_OBJECT
public:
    explicit ScatterPlot(QWidget* parent = nullptr);
    /// `ids` are drawn strong, the others faint.
    void setRuns(std::vector<store::RunSummary> runs, const std::vector<ExploreAxis>& axes);
    void setMatching(const QStringList& ids);
    void setChosen(const QStringList& ids);
    /// Keys of the axes along x and y that the user chose, also while no run has them; empty: the first ones.
    void wantAxes(const QString& x, const QString& y);
    [[nodiscard]] std::pair<QString, QString> wantedAxes() const { return {wantedX_, wantedY_}; }
    [[nodiscard]] QCustomPlot* plot() const { return plot_; }
    [[nodiscard]] std::vector<ViewTable> tables() const override;

Q_SIGNALS:
    void brushed(const QString& terms);
    void runChosen(const QString& id);
    void axesChosen();

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void fillAxes();
    void draw();
    void takeBox(const QRect& box);
    void hover(const QPointF& pixel);
    [[nodiscard]] const ExploreAxis* axis(const QComboBox* box) const;
    [[nodiscard]] const store::RunSummary* runAt(const QPointF& pixel) const;

    std::vector<store::RunSummary> runs_;
    std::vector<ExploreAxis> axes_;
    QStringList matching_, chosen_;
    QComboBox *x_, *y_;
    QString wantedX_, wantedY_;
    QCustomPlot* plot_;
    ChartLayers layers_;
};

}  // namespace kurve::views
