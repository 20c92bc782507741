#pragma once

#include <QJsonObject>
#include <QStringList>
#include <QWidget>

#include "views/common/shell/panel.h"
#include "views/states/summary_chart.h"

class QCheckBox;
class QComboBox;

namespace kurve::views {

class ContentOrEmpty;
class ElidedLabel;
class EmptyState;
class LastingChoiceBox;

/// Token similarity in the compared runs' traces: a summary of a layer's states through the denoising steps,
/// a line or a heat map row for each run, of the prompt that Inspect shows, else of the
/// first run's newest trace. Reads traces on a worker, only while it is visible. GUI thread.
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
    void inspectRequested();  ///< where traces are recorded
    void choiceChanged();     ///< save() differs

protected:
    void showEvent(QShowEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    [[nodiscard]] QWidget* makeHead();
    void request();
    void draw();
    void offerLayers();
    void showEmpty();
    [[nodiscard]] QString about() const;

    StudioContext context_;
    RunSummaries* runs_;
    QStringList ids_;
    QComboBox* number_;
    LastingChoiceBox* layer_;  ///< until one is chosen: the last with states
    QCheckBox* masks_;
    ElidedLabel* about_;
    SummaryChart* chart_;
    EmptyState* empty_;
    ContentOrEmpty* content_;
};

}  // namespace kurve::views
