#pragma once

#include <QJsonObject>
#include <QStringList>
#include <QWidget>
#include <memory>
#include <optional>

#include "core/config/field_spec.h"
#include "views/common/choice_list.h"

class QFormLayout;
class QGridLayout;
class QLabel;
class QLineEdit;
class QProgressBar;
class QPushButton;
class QSpinBox;
class QComboBox;

namespace kurve::views {

/// What the sweep builder asks the engine for.
struct SweepWish {
    QStringList runs;
    QStringList grid;  ///< "sampler.steps=2,5,10"
    int seeds = 3, sentences = 100, refine = 0;
    bool estimateOnly = false;
    QString checkpoint = {}, split = {};   ///< "last", "best", "avg5" or a step; "valid" or "test"
    QString quality = {}, diversity = {};  ///< ids of metrics with commas; empty = the engine's choice
    QString judge = {};                    ///< the run that reads the outputs; empty = none
    int seconds = 0;                       ///< begin no further point after so many; 0 = no end

    bool operator==(const SweepWish& other) const = default;
};

/// How far a sweep is. Written by whoever runs the engine.
struct SweepStatus {
    enum class Kind : unsigned char { Idle, Estimating, Running, Paused, Failed } kind = Kind::Idle;
    QString text;  ///< one sentence
    int done = 0, total = 0;
};

enum class SweepDeed : unsigned char { Start, Pause, Cancel, Estimate };

/// The sweep builder: settings with the values to try, how carefully to measure, and start, pause, cancel.
class SweepForm : public QWidget {
    Q_OBJECT
public:
    explicit SweepForm(QWidget* parent = nullptr);

    /// Offers the sampler.* fields of this family; null = none known yet.
    void setSchema(std::shared_ptr<const Schema> schema);
    void setRuns(const QStringList& ids, const QStringList& names);
    /// Runs that can read outputs (minus-gen-ppl, mauve-judge).
    void setJudges(const std::vector<Choice>& runs);
    void setStatus(const SweepStatus& status);
    [[nodiscard]] SweepWish wish() const;
    /// Why it cannot be done now, as a sentence; empty: it can.
    [[nodiscard]] QString refusal(SweepDeed deed) const;
    /// As its button; nothing where it is refused.
    void carryOut(SweepDeed deed);
    /// What was typed, to be kept for another session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& kept);

Q_SIGNALS:
    void draftChanged();
    void requested(const kurve::views::SweepWish& wish);
    void pauseRequested();
    void cancelRequested();
    void refusalsChanged();  ///< perhaps

private:
    struct Line {
        QComboBox* key;
        QLineEdit* values;
    };
    void addLine(const QString& key, const QString& values);
    void fillKeys(QComboBox* combo, const QString& wanted) const;
    void refresh();
    void showQualityHint();
    void buildChoices(QFormLayout& rows);
    [[nodiscard]] QString draftProblem() const;
    [[nodiscard]] bool tellsOfAnother() const;
    void showButtons();
    [[nodiscard]] qint64 pointCount() const;
    QSpinBox* number(const QString& id, const QString& name, const QString& help, int low, int high,
                     int value);

    std::shared_ptr<const Schema> schema_;
    QStringList runs_;
    SweepStatus status_;
    std::optional<SweepWish> asked_;  ///< what the status is about
    std::vector<Line> lines_;
    QGridLayout* grid_;
    QLabel *about_, *message_;
    QSpinBox *seeds_, *sentences_, *refine_, *seconds_;
    QComboBox *checkpoint_, *split_, *judge_;
    QString wantedJudge_;  ///< what was chosen, also while the runs are not read
    QLineEdit *quality_, *diversity_;
    QPushButton *start_, *estimate_, *cancel_, *add_;
    QProgressBar* bar_;
};

}  // namespace kurve::views
