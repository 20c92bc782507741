#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "core/inspect/step_link.h"
#include "views/common/form/saved_choice.h"
#include "views/states/heat_strip.h"
#include "views/states/run_summaries.h"

class QToolButton;

namespace kurve::views {

class LineChart;
struct CurveSpec;

/// State summary per step.
enum class StateStatistic : unsigned char { Mean, Neighbours, EffectiveRank, Repeated };
/// "Mean similarity", …, in this order.
[[nodiscard]] QStringList stateStatisticNames();
/// What a session keeps of them.
inline constexpr ChoiceIds<4> kStatisticIds{"mean", "neighbours", "rank", "repeated"};
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

    /// Between these two the lines that are shown; the first of an id counts, and one without values does
    /// not.
    void begin(const QString& title);
    void add(const QString& id, const CurveSpec& curve, const std::vector<double>& values);
    void end();

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
    void showRun(const TraceSummary& run, const TraceSummary& first, const RunsRequest& request);
    void showLayers(const TraceSummary& run, const TraceSummary& first, const RunsRequest& request);

    LineChart* chart_;
    HeatStrip* strip_;
    QToolButton* colours_;
    std::vector<HeatStrip::Row> rows_;  ///< the lines so far
    QStringList shown_;                 ///< and their curves
};

}  // namespace kurve::views
