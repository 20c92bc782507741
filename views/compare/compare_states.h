#pragma once

#include <QJsonObject>
#include <QStringList>
#include <QWidget>

#include "views/common/panel.h"
#include "views/states/summary_chart.h"

class QCheckBox;
class QComboBox;

namespace kurve::views {

class ContentOrEmpty;
class ElidedLabel;
class EmptyState;

/// How alike the words of the compared runs' recordings are to each other: one number of a layer through the
/// denoising steps, a line or a row of colours for each run, of the prompt that Inspect shows, else of the
/// first run's newest recording. Reads recordings on a worker, only while it is seen. GUI thread.
class CompareStates : public QWidget {
    Q_OBJECT
public:
    explicit CompareStates(const StudioContext& context, QWidget* parent = nullptr);
    /// In the order of the comparison's columns.
    void setRuns(const QStringList& ids);
    [[nodiscard]] SummaryChart* chart() const { return chart_; }
    void toggleColours();
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void inspectRequested();  ///< where recordings are made
    void choiceChanged();     ///< save() differs

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    [[nodiscard]] QWidget* makeHead();
    void ask();
    void draw();
    void offerLayers();
    void showEmpty();
    [[nodiscard]] QString about() const;
    [[nodiscard]] QString titleOf(const QString& run) const;

    StudioContext context_;
    RunSummaries* runs_;
    QStringList ids_;
    QComboBox *number_, *layer_;
    QCheckBox* masks_;
    ElidedLabel* about_;
    SummaryChart* chart_;
    EmptyState* empty_;
    ContentOrEmpty* content_;
    QString wantedLayer_;  ///< as chosen, whether it is offered or not; null: the last with states
};

}  // namespace kurve::views
