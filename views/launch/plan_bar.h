#pragma once

#include <QWidget>
#include <nlohmann/json.hpp>
#include <vector>

#include "views/launch/draft.h"

class QComboBox;
class QLabel;
class QSpinBox;
class QTreeWidget;

namespace kurve::views {

/// What the draft will come to before it starts: the matrix of runs if settings have several values, how much
/// memory it takes, and what a dry run measured.
class PlanBar : public QWidget {
    Q_OBJECT
public:
    explicit PlanBar(QWidget* parent = nullptr);
    void setDraft(const Draft& draft);
    /// `kurve train --dry-run --json` of the first runs; empty = it is being measured.
    void setMeasured(const std::vector<nlohmann::json>& dryRuns);
    void setProblem(const QString& text);
    /// `kurve train --estimate --json` of the run that takes most; null: not known, and `why`.
    void setMemory(const nlohmann::json& estimate, const QString& why = {});
    /// Why there is not memory enough for the draft; empty if there is, or nobody knows.
    [[nodiscard]] const QString& memoryProblem() const { return memoryProblem_; }

Q_SIGNALS:
    void told();                  ///< there is something to say about a dry run
    void drawsChosen(int count);  ///< 0 = every combination

private:
    void choose();
    void fillMatrix(const Draft& draft);

    QWidget* sweep_;
    QLabel *count_, *memory_, *estimate_, *warnings_;
    QComboBox* mode_;
    QSpinBox* draws_;
    QTreeWidget* matrix_;
    std::size_t runs_ = 1;
    QString memoryProblem_;
    QString shown_;  ///< the command lines that the estimate belongs to
    bool filling_ = false;
};

}  // namespace kurve::views
