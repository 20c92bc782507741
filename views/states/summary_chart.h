#pragma once

#include <QString>
#include <QStringList>
#include <QWidget>
#include <vector>

#include "views/common/step_link.h"
#include "views/states/heat_strip.h"
#include "views/states/run_summaries.h"

class QToolButton;

namespace kurve::views {

class LineChart;
struct CurveLook;

/// What the states of a layer come down to at each step.
enum class StateNumber : unsigned char { Mean, Neighbours, EffectiveRank, Repeated };
/// "Mean similarity", …, in this order.
[[nodiscard]] QStringList stateNumberNames();
/// Through the steps; null for a layer that there is not. Repeated tokens are the same for every layer.
[[nodiscard]] const std::vector<double>* numbersOf(const Overview& overview, int layer, StateNumber number);

/// One such number through the denoising steps, as lines or as rows of colours on one scale. Both forms
/// always hold the same, so that changing between them asks for nothing.
class SummaryChart : public QWidget {
    Q_OBJECT
public:
    /// Its parts are named "ID.summaryChart", "ID.strip" and "ID.colours".
    explicit SummaryChart(const QString& id, QWidget* parent = nullptr);

    /// Between these two the lines that are shown; the first of an id counts, and one without values does
    /// not.
    void begin(const QString& title);
    void add(const QString& id, const CurveLook& look, const std::vector<double>& values);
    void end();

    struct RunsWish {
        StateNumber number = StateNumber::Mean;
        /// The layer of each run that holds this block, or the one most like it; null: all layers.
        QString block;
        LinkBy linkBy = LinkBy::Step;  ///< how steps are matched to those of the first run
    };
    /// A line of each run (or of each of its layers) in the run's own look; `runs` without null.
    void showRuns(const QString& title, const std::vector<const RecordingSummary*>& runs,
                  const RunsWish& wish);

    void setColours(bool on);
    [[nodiscard]] bool colours() const;
    /// The switch between the two forms, to be placed by the owner.
    [[nodiscard]] QToolButton* coloursButton() const { return colours_; }
    [[nodiscard]] LineChart* chart() const { return chart_; }
    [[nodiscard]] HeatStrip* strip() const { return strip_; }
    void setPlayhead(int step);  ///< from 0

Q_SIGNALS:
    void stepChosen(int step);
    void coloursChanged();

private:
    void showRun(const RecordingSummary& run, const RecordingSummary& first, const RunsWish& wish);
    void showLayers(const RecordingSummary& run, const RecordingSummary& first, const RunsWish& wish);

    LineChart* chart_;
    HeatStrip* strip_;
    QToolButton* colours_;
    std::vector<HeatStrip::Row> rows_;  ///< the lines so far
    QStringList shown_;                 ///< and their curves
};

}  // namespace kurve::views
