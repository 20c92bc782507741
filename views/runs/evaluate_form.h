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

/// What is to be scored: `kurve eval --save` of each run.
struct EvaluationWish {
    QStringList runs;
    QString checkpoint, split, metrics;    ///< metrics: ids with commas; empty: the usual ones
    int limit = 0;                         ///< the first so many pairs; 0: all
    QString judge = {};                    ///< the run that reads the outputs; empty: none
    QMap<QString, QString> settings = {};  ///< sampler.* other than the runs' own
};
/// How far that is.
struct EvaluationStatus {
    bool running = false;
    QString text;
};

/// Scores the selected runs on a split with a checkpoint and metrics of one's choice, and lists what the
/// shown run has been scored with. A job runs elsewhere; this shows its progress and cancels it.
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
    void setJudges(std::vector<Choice> runs);  ///< that can choose among candidates
    void setStatus(const kurve::views::EvaluationStatus& status);
    [[nodiscard]] EvaluationWish wish() const;

Q_SIGNALS:
    void requested(const kurve::views::EvaluationWish& wish);
    void cancelRequested();
    /// What that run is to decode with where nobody says otherwise; empty: its own settings again.
    void defaultSamplerWanted(const QString& run, const QMap<QString, QString>& settings);

private:
    void fillCheckpoints(const RunData* data);
    void fillScores(const store::RunSummary* run);
    void showButton();
    void showOwn();

    QStringList runs_;
    QMap<QString, QString> own_, over_;  ///< sampler.* of the run, of its default sampler
    bool running_ = false;
    QComboBox *checkpoint_, *split_, *metrics_, *judge_;
    QSpinBox* limit_;
    SamplerSettings* settings_;
    DefaultSamplerChip* default_;
    QPushButton* go_;
    QLabel* about_;
    QTreeWidget* scores_;
    std::map<std::string, double> shownScores_;
};

}  // namespace kurve::views
