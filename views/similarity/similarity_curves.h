#pragma once

#include <QJsonObject>
#include <QWidget>

#include "core/inspect/step_link.h"
#include "views/common/data/latest.h"
#include "views/similarity/matrix_picture.h"
#include "views/states/summary_chart.h"

class QComboBox;

namespace kurve::views {

class LayerDiagram;
class LineChart;

/// Statistics per denoising step: a summary of every layer's matrices (B's dashed), or how far the last state
/// of each source token is from that of the step before, or what each layer read; and below it the selected
/// pair of rows in every layer. A low widget shows one of the two: the pair, if one is selected.
class SimilarityCurves : public QWidget {
    Q_OBJECT
public:
    explicit SimilarityCurves(QWidget* parent = nullptr);

    /// A trace's summaries with its layers; null = none.
    struct Summary {
        const Overview* overview = nullptr;
        const inspect::StateSource* source = nullptr;
    };
    /// `kind`: of the matrices, for the title.
    void showSummary(const Summary& a, const Summary& b, inspect::MatrixKind kind);
    /// The layer `layer` of the shown trace; the others show the same layer.
    struct Shown {
        const Overview& overview;
        const inspect::StateSource& source;
        int layer = 0;
        inspect::LinkBy linkBy = inspect::LinkBy::Step;
    };
    /// Instead of the layers, while byRun(): a line per run in its own style.
    void showRuns(const Shown& shown, const std::vector<TraceSummary>& others, inspect::MatrixKind kind);
    [[nodiscard]] bool byRun() const;
    void toggleByRun();
    /// As a heat map on one scale, or as lines.
    void setColours(bool on);
    [[nodiscard]] bool colours() const;
    /// Statistic, grouping and form, for the next session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);
    /// The lines are computed on a worker; none without a source. The title is shown at once.
    void showPair(const PairRequest& request, const QString& title);
    void setPlayhead(int step);  ///< from 0

    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void stepChosen(int step);
    void choiceChanged();  ///< save() has changed
    void layerChosen(bool ofText, int layer);
    void summaryChanged();  ///< another statistic: call showSummary() again

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void addLines(std::vector<SummaryChart::Line>& lines, const Summary& summary, bool dashed,
                  QStringList& blocks) const;
    void addSourceTokens(std::vector<SummaryChart::Line>& lines, const inspect::StateSource& source,
                         bool dashed) const;
    /// Offers what only some traces have: statistics of the source, the order of the layers.
    void listEntries(const inspect::StateSource* maybeSource);
    [[nodiscard]] int entry() const;
    void chooseStatistic(int index);
    void drawPair(const PairLines& lines);
    [[nodiscard]] StateStatistic statistic() const;
    [[nodiscard]] QString summaryTitle(inspect::MatrixKind kind) const;

    QComboBox *statistic_, *grouping_;
    int savedStatistic_ = 0;                          ///< the last one that every trace has
    bool colouredBefore_ = false, ofSource_ = false;  ///< the form before a statistic of the source
    SummaryChart* summary_;
    LayerDiagram* diagram_;
    LineChart* pair_;
    PairRequest request_;
    Latest<PairRequest, PairLines> pairs_;
};

}  // namespace kurve::views
