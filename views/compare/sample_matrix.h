#pragma once

#include <QTableView>
#include <optional>
#include <vector>

#include "views/compare/sample_matrix_model.h"

namespace kurve::views {

/// One recorded denoising of a run.
struct RecordedCell {
    QString run, file;  ///< file: relative to the run's folder
};

/// The table of SampleMatrixModel: the words of each output marked, cells that one walks with the arrow keys
/// and opens, and two of them (Ctrl+click, or Ctrl+arrows and Ctrl+Space) beside each other.
class SampleMatrix : public QTableView {
    Q_OBJECT
public:
    explicit SampleMatrix(QWidget* parent = nullptr);
    void setRuns(const std::vector<ComparedRun>& runs, const SampleMatrixModel::Wish& wish);
    [[nodiscard]] int promptCount() const { return model_->rowCount(); }
    /// The current cell's recording, or why there is none through statusMessage().
    void openCurrent();
    /// The two marked cells' recordings, in the order of columns; says what is missing otherwise.
    void openMarked();
    [[nodiscard]] int markedCount() const;

Q_SIGNALS:
    void recordingRequested(const kurve::views::RecordedCell& cell);
    void pairRequested(const kurve::views::RecordedCell& a, const kurve::views::RecordedCell& b);
    void markedChanged();
    void statusMessage(const QString& text);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    [[nodiscard]] QModelIndexList marked() const;
    [[nodiscard]] std::optional<RecordedCell> recordingOf(const QModelIndex& index) const;
    void fit();

    SampleMatrixModel* model_;
};

}  // namespace kurve::views
