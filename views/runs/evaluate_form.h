#pragma once

#include <QMap>
#include <QStringList>
#include <QWidget>
#include <map>
#include <memory>
#include <string>
#include <vector>

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

/// A request to evaluate: `kurve eval --save` of each run.
struct EvaluationRequest {
    QStringList runs;
    QString checkpoint, split, metrics;    ///< metrics: ids with commas; empty: the default metrics
    int limit = 0;                         ///< the first so many pairs; 0: all
    QString scorer = {};                   ///< the run that scores the outputs; empty: none
    QMap<QString, QString> settings = {};  ///< sampler.* other than the runs' own
};
/// Progress of an evaluation.
struct EvaluationStatus {
    bool running = false;
    QString text;
};

/// Evaluates the selected runs on a split with a checkpoint and metrics, and lists the saved scores of the
/// shown run. The job runs elsewhere; this shows its progress and cancels it.
class EvaluateForm : public QWidget {
    Q_OBJECT
public:
    explicit EvaluateForm(QWidget* parent = nullptr);
    /// `run` is the one whose checkpoints and scores are shown; null: none. `data` may be null.
    void setRuns(const QStringList& ids, const store::RunSummary* run, const RunData* data);
    /// The shown run's sampler: what can be set, and the run's own values. Null: unknown.
    void setSampler(const RunConfig* config, std::shared_ptr<const Schema> schema);
    /// The default sampler of the shown run, if it has one. Null: unknown.
    void setDefaultSampler(const QString& run, const RunData* data);
    void setScorers(std::vector<Choice> runs);  ///< runs that can score candidates
    void setStatus(const kurve::views::EvaluationStatus& status);
    [[nodiscard]] EvaluationRequest request() const;

Q_SIGNALS:
    void requested(const kurve::views::EvaluationRequest& request);
    void cancelRequested();
    /// Sets the run's default sampler; empty: its own settings again.
    void defaultSamplerRequested(const QString& run, const QMap<QString, QString>& settings);

private:
    void fillCheckpoints(const RunData* data);
    void fillScores(const store::RunSummary* run);
    void showButton();
    void showOwn();

    QStringList runs_;
    QMap<QString, QString> own_, over_;  ///< sampler.* of the run, of its default sampler
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
