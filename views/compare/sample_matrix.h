#pragma once

#include <QTableView>
#include <optional>
#include <vector>

#include "views/common/shell/panel.h"
#include "views/compare/sample_matrix_model.h"

namespace kurve::views {

/// A trace of a run.
struct SampleTrace {
    QString run, file;  ///< file: relative to the run's folder
};

/// The table of SampleMatrixModel: outputs with word diffs; cells are selected with the arrow keys and
/// opened, two of them (Ctrl+click, or Ctrl+arrows and Ctrl+Space) side by side.
class SampleMatrix : public QTableView {
    Q_OBJECT
public:
    explicit SampleMatrix(const StudioContext& context);
    void setRuns(const std::vector<ComparedRun>& runs, const SampleMatrixModel::Request& request);
    [[nodiscard]] int promptCount() const { return model_->rowCount(); }
    /// The current cell's trace, or why there is none through statusMessage().
    void openCurrent();
    /// The two marked cells' traces, in the order of columns; says what is missing otherwise.
    void openMarked();
    [[nodiscard]] int markedCount() const;

Q_SIGNALS:
    void markedChanged();
    void statusMessage(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QModelIndexList marked() const;
    [[nodiscard]] std::optional<SampleTrace> traceOf(const QModelIndex& index) const;
    void fit();

    StudioContext context_;
    SampleMatrixModel* model_;
};

}  // namespace kurve::views
