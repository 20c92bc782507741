#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "views/common/shell/panel.h"
#include "views/runs/evaluations.h"

class QComboBox;
class QLabel;
class QPushButton;
class QSpinBox;
class QTreeWidget;

namespace kurve {
class RunConfig;
struct Schema;
}  // namespace kurve

namespace kurve::store {
struct RunSummary;
}

namespace kurve::views {

struct Choice;
struct RunData;
class DefaultSamplerChip;
class SamplerSettings;

/// Evaluates the selected runs on a split with a checkpoint and metrics, and lists the saved scores of the
/// shown run. Shows the progress of Evaluations and cancels it.
class EvaluateForm : public QWidget {
    Q_OBJECT
public:
    explicit EvaluateForm(const StudioContext& context);
    /// `run` is the one whose checkpoints and scores are shown; null: none. `data` may be null.
    void setRuns(const QStringList& ids, const store::RunSummary* run, const RunData* data);
    /// The shown run's sampler: what can be set, and its default values (decodingConfig). Null: unknown.
    void setSampler(const RunConfig* config, std::shared_ptr<const Schema> schema);
    void setScorers(std::vector<Choice> runs);  ///< runs that can score candidates
    [[nodiscard]] EvaluationRequest request() const;

private:
    void setStatus(const EvaluationStatus& status);
    void fillCheckpoints(const RunData* data);
    void fillScores(const store::RunSummary* run);
    void showButton();

    QStringList runs_;
    bool running_ = false;
    QComboBox *checkpoint_, *split_, *metrics_, *scorer_;
    QSpinBox* limit_;
    SamplerSettings* settings_;
    DefaultSamplerChip* default_;
    QPushButton* go_;
    QLabel* about_;
    QTreeWidget* scores_;
    std::map<std::string, double> shownScores_;
};

}  // namespace kurve::views
