#pragma once

#include <QTextBrowser>
#include <optional>
#include <vector>

#include "views/compare/compared_run.h"

namespace kurve::views {

/// What the runs make of the same fixed prompts: one row per prompt, one column per run, each output with its
/// words marked against the reference.
class SampleMatrix : public QTextBrowser {
    Q_OBJECT
public:
    explicit SampleMatrix(QWidget* parent = nullptr);
    /// Outputs of the last evaluation at or before `step`; of the last one of all without it.
    void setRuns(const std::vector<ComparedRun>& runs, std::optional<qint64> step);
    [[nodiscard]] int promptCount() const { return promptCount_; }

private:
    int promptCount_ = 0;
};

}  // namespace kurve::views
