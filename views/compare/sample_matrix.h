#pragma once

#include <QTableView>
#include <vector>

#include "views/common/shell/panel.h"
#include "views/compare/sample_cells.h"

namespace kurve::views {

/// Outputs of the compared runs for the fixed prompts (sampleCells()) with word diffs; cells are selected
/// with the arrow keys and opened, two of them (Ctrl+click, or Ctrl+arrows and Ctrl+Space) side by side.
class SampleMatrix : public QTableView {
    Q_OBJECT
public:
    explicit SampleMatrix(const StudioContext& context);
    void setRuns(const std::vector<ComparedRun>& runs, const SampleRequest& request);
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
    void fit();

    StudioContext context_;
    CellTableModel* model_;
};

}  // namespace kurve::views
