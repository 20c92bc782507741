#pragma once

#include <QWidget>
#include <nlohmann/json.hpp>
#include <vector>

#include "views/launch/draft/draft.h"

class QComboBox;
class QLabel;
class QSpinBox;
class QTreeWidget;

namespace kurve::views {

/// The plan of the draft: the matrix of runs if settings have several values, estimated memory, and the
/// result of a dry run.
class PlanBar : public QWidget {
    Q_OBJECT
public:
    explicit PlanBar(QWidget* parent = nullptr);
    void setDraft(const Draft& draft);
    /// `kurve train --dry-run --json` of the first runs; empty = in progress.
    void setMeasured(const std::vector<nlohmann::json>& dryRuns);
    void setProblem(const QString& text);
    /// `kurve train --estimate --json` of the run that takes most; null: unknown, and `why`.
    void setMemory(const nlohmann::json& estimate, const QString& why = {});

Q_SIGNALS:
    void resultShown();           ///< the result of a dry run is shown
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
    int processes_ = 1;
    QString machine_;  ///< of the draft; empty: this one, which estimates are of
    QString shown_;    ///< the command lines of the estimate
    bool filling_ = false;
};

}  // namespace kurve::views
