#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/inspect/step_link.h"
#include "views/common/chart/chart_curve.h"
#include "views/common/form/saved_choice.h"
#include "views/states/heat_strip.h"
#include "views/states/run_summaries.h"

class QToolButton;

namespace kurve::views {

class LineChart;

/// State summary per step.
enum class StateStatistic : unsigned char { Mean, Neighbours, EffectiveRank, Repeated };
/// "Mean similarity", …, in this order.
[[nodiscard]] QStringList stateStatisticNames();
/// What a session keeps of them.
inline constexpr ChoiceIds<4> kStatisticIds{"mean", "neighbours", "rank", "repeated"};
/// 1, 2, …
[[nodiscard]] std::vector<double> stepsUpTo(std::size_t count);
/// Through the steps; null for an unknown layer. Repeated tokens are the same for every layer.
[[nodiscard]] const std::vector<double>* numbersOf(const Overview& overview, int layer,
                                                   StateStatistic number);

/// One such statistic through the denoising steps, as lines or as a heat map. Both forms always hold the same
/// data.
class SummaryChart : public QWidget {
    Q_OBJECT
public:
    /// Its parts are named "ID.summaryChart", "ID.strip" and "ID.colours".
    explicit SummaryChart(const QString& id, QWidget* parent = nullptr);

    struct Line {
        QString id;
        CurveSpec curve;
        std::vector<double> values;  ///< by step
    };
    /// The first line of an id counts, and one without values does not.
    void show(const QString& title, const std::vector<Line>& lines);
    struct RunsRequest {
        StateStatistic number = StateStatistic::Mean;
        /// The layer of each run that holds this block, or the best match; null: all layers.
        QString block;
        inspect::LinkBy linkBy = inspect::LinkBy::Step;  ///< how steps are matched to those of the first run
    };
    /// A line of each run (or of each of its layers) in the run's own style; `runs` without null.
    void showRuns(const QString& title, const std::vector<const TraceSummary*>& runs,
                  const RunsRequest& request);

    void setColours(bool on);
    [[nodiscard]] bool colours() const;
    /// The switch between the two forms, for the owner's layout.
    [[nodiscard]] QToolButton* coloursButton() const { return colours_; }
    [[nodiscard]] LineChart* chart() const { return chart_; }
    [[nodiscard]] HeatStrip* strip() const { return strip_; }
    void setPlayhead(int step);  ///< from 0

Q_SIGNALS:
    void stepChosen(int step);
    void coloursChanged();

private:
    LineChart* chart_;
    HeatStrip* strip_;
    QToolButton* colours_;
};

}  // namespace kurve::views
