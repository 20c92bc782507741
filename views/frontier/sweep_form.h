#pragma once

#include <QJsonObject>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/config/field_spec.h"
#include "views/common/form/choice_list.h"

class QGridLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QComboBox;

namespace kurve::views {

class LastingChoiceBox;

/// The sweep that the form requests.
struct SweepRequest {
    QStringList runs;
    QStringList grid;  ///< "sampler.steps=2,5,10"
    int seeds = 3, sentences = 100, refine = 0;
    bool estimateOnly = false;
    QString checkpoint = {}, split = {};   ///< "last", "best", "avg5" or a step; "valid" or "test"
    QString quality = {}, diversity = {};  ///< ids of metrics with commas; empty = the engine's choice
    QString scorer = {};                   ///< the run that scores the outputs; empty = none
    int seconds = 0;                       ///< no point begins after so many; 0 = no limit

    bool operator==(const SweepRequest& other) const = default;
};

/// Progress of a sweep. Written by whoever runs the engine.
struct SweepStatus {
    enum class Kind : unsigned char { Idle, Estimating, Running, Paused, Failed } kind = Kind::Idle;
    QString text;  ///< one sentence
    int done = 0, total = 0;
};

enum class SweepAction : unsigned char { Start, Pause, Cancel, Estimate };

/// The sweep builder: settings with the values to try, seeds and sentences, and start, pause, cancel.
class SweepForm : public QWidget {
    Q_OBJECT
public:
    explicit SweepForm(QWidget* parent = nullptr);

    /// Offers the sampler.* fields of this family; null = none known yet.
    void setSchema(std::shared_ptr<const Schema> schema);
    void setRuns(const QStringList& ids, const QStringList& names);
    /// Runs that can score outputs (gen_ppl, mauve).
    void setScorers(const std::vector<Choice>& runs);
    void setStatus(const SweepStatus& status);
    [[nodiscard]] SweepRequest request() const;
    /// Why the action is not available now, as a sentence; empty: it is.
    [[nodiscard]] QString refusal(SweepAction action) const;
    /// As its button; nothing where it is not available.
    void carryOut(SweepAction action);
    /// The form's values, for the next session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void draftChanged();
    void requested(const kurve::views::SweepRequest& request);
    void pauseRequested();
    void cancelRequested();
    void refusalsChanged();  ///< perhaps

private:
    struct Line {
        LastingChoiceBox* key;
        QLineEdit* values;
    };
    void addLine(const QString& key, const QString& values);
    [[nodiscard]] QList<QWidget*> controls() const;  ///< that are saved
    void offerKeys(LastingChoiceBox& box) const;
    void refresh();
    void showQualityHint();
    void prepareFields();
    [[nodiscard]] QString draftProblem() const;
    [[nodiscard]] bool statusIsStale() const;
    void showButtons();
    [[nodiscard]] qint64 pointCount() const;
    QSpinBox* number(const QString& id, const QString& name, const QString& help, int low, int high,
                     int value);

    std::shared_ptr<const Schema> schema_;
    QStringList runs_;
    SweepStatus status_;
    std::optional<SweepRequest> submitted_;  ///< what the status is about
    std::vector<Line> lines_;
    QGridLayout* grid_;
    QLabel *about_, *message_;
    QSpinBox *seeds_, *sentences_, *refine_, *seconds_;
    QComboBox *checkpoint_, *split_;
    LastingChoiceBox* scorer_;
    QLineEdit *quality_, *diversity_;
    QPushButton *start_, *estimate_, *cancel_, *add_;
    QProgressBar* bar_;
};

}  // namespace kurve::views
