#pragma once

#include "views/common/shell/panel.h"
#include "views/compare/explore_axis.h"

class QPushButton;

namespace kurve::views {

class ChartLegend;
class ChoiceList;
class ElidedLabel;
class ParallelPlot;
class ScatterPlot;

/// All runs of the project over their differing settings and metrics: parallel axes and a scatter plot.
/// Brushing either filters the list of runs.
class ExplorePanel : public Panel {
    Q_OBJECT
public:
    explicit ExplorePanel(const StudioContext& context, QWidget* parent = nullptr);
    [[nodiscard]] bool hasData() const override;
    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;
    [[nodiscard]] ParallelPlot* parallel() const { return parallel_; }
    [[nodiscard]] ScatterPlot* scatter() const { return scatter_; }
    /// The chosen axes, for the session.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

private:
    void takeRuns();
    void showAxes();
    void openAxes();
    void setAxis(const QString& key, bool on);
    [[nodiscard]] QStringList shownKeys() const;
    void takeFilter(const QString& terms);
    void choose(const QString& id);
    void updateLegend();
    [[nodiscard]] QString bestText() const;

    std::vector<store::RunSummary> runs_;
    std::vector<ExploreAxis> axes_;
    QStringList shown_;  ///< keys of the shown axes; empty: the first ones
    QString filter_;
    QStringList matching_;  ///< ids of the runs that match the filter
    ElidedLabel* note_;
    ChartLegend* names_;
    QPushButton *columns_, *clear_;
    ChoiceList* list_;
    ParallelPlot* parallel_;
    ScatterPlot* scatter_;
};

}  // namespace kurve::views
