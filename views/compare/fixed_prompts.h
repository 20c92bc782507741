#pragma once

#include <QJsonObject>

#include "views/compare/sample_matrix.h"

class QCheckBox;
class QPushButton;

namespace kurve::views {

class LastingChoiceBox;

/// The sample matrix of the comparison with its choices: the training step, and what the outputs are diffed
/// against.
class FixedPrompts : public QWidget {
    Q_OBJECT
public:
    explicit FixedPrompts(const StudioContext& context);
    void setRuns(const std::vector<ComparedRun>& runs);
    /// Of the outputs; none: each run's last.
    [[nodiscard]] std::optional<qint64> step() const;
    [[nodiscard]] QString diffRun() const;  ///< empty: the reference
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& saved);

Q_SIGNALS:
    void statusMessage(const QString& text);
    void choiceChanged();  ///< save() differs

private:
    void addCommands();
    void offerAgainst();
    void refresh();

    StudioContext context_;
    std::vector<ComparedRun> runs_;
    QCheckBox* atPlayhead_;
    LastingChoiceBox* against_;
    QPushButton* beside_;
    SampleMatrix* samples_;
};

}  // namespace kurve::views
