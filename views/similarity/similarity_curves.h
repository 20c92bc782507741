#pragma once

#include <QJsonObject>
#include <QWidget>

#include "views/common/latest.h"
#include "views/common/step_link.h"
#include "views/similarity/matrix_picture.h"
#include "views/states/summary_chart.h"

class QComboBox;

namespace kurve::views {

class LineChart;

/// What runs through the denoising steps: a summary of every layer's matrices (B's dashed), and under it one
/// pair of rows in every layer. Where it is low only one of them is shown: the pair once there is one.
class SimilarityCurves : public QWidget {
    Q_OBJECT
public:
    explicit SimilarityCurves(QWidget* parent = nullptr);

    /// One recording's summaries with its layers; null = none.
    struct Summary {
        const Overview* overview = nullptr;
        const StateSource* source = nullptr;
    };
    /// `kind`: of the matrices, for the title.
    void showSummary(const Summary& a, const Summary& b, MatrixKind kind);
    /// The layer `layer` of what is shown, and the like of other runs' recordings.
    struct Shown {
        const Overview& overview;
        const StateSource& source;
        int layer = 0;
        LinkBy linkBy = LinkBy::Step;
    };
    /// Instead of the layers, while byRun(): a line per run in its own look.
    void showRuns(const Shown& shown, const std::vector<RecordingSummary>& others, MatrixKind kind);
    [[nodiscard]] bool byRun() const;
    void toggleByRun();
    /// The lines as rows of colours on one scale, or as lines.
    void setColours(bool on);
    [[nodiscard]] bool colours() const;
    /// Which number, by layer or run, lines or colours, for another session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& kept);
    /// Its lines follow when a worker has them; none without a source. The title shows at once.
    void showPair(const PairWish& wish, const QString& title);
    void setPlayhead(int step);  ///< from 0

    QSize minimumSizeHint() const override;

Q_SIGNALS:
    void stepChosen(int step);
    void choiceChanged();   ///< save() says something else now
    void summaryChanged();  ///< another number is wanted: showSummary() again

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void arrange();
    void addLines(const Summary& summary, bool dashed);
    void drawPair(const PairLines& lines);
    [[nodiscard]] StateNumber number() const;
    [[nodiscard]] QString summaryTitle(MatrixKind kind) const;

    QComboBox *what_, *lines_;
    int number_ = 0;      ///< of the choice, the last that is not the pair: that one belongs to a recording
    QStringList blocks_;  ///< of A and B that have a line: each its colour
    SummaryChart* summary_;
    LineChart* pair_;
    PairWish wish_;
    Latest<PairWish, PairLines> pairs_;
};

}  // namespace kurve::views
