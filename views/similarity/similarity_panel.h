#pragma once

#include <memory>
#include <optional>

#include "views/common/data/background.h"
#include "views/common/data/latest.h"
#include "views/common/shell/panel.h"
#include "views/similarity/matrix_picture.h"
#include "views/states/similarity_overview.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;

namespace kurve::views {

class LastingChoiceBox;
class RunSummaries;
class SimilarityCurves;
class ThumbnailGrid;

/// Similarity of the states of the selected trace: a thumbnail per layer and step, one large matrix, its
/// difference to a pinned one, and summaries per step. Follows the window's playhead; matrices
/// are computed on a worker.
class SimilarityPanel : public Panel {
    Q_OBJECT
public:
    explicit SimilarityPanel(const StudioContext& window, QWidget* parent = nullptr);

    [[nodiscard]] bool hasData() const override { return source_ != nullptr && !source_->layers().empty(); }
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] MatrixView* matrix() const { return matrix_; }
    [[nodiscard]] const Overview& overview() const { return overview_; }
    /// Measure, layer, head, order, scale, masked positions, comparison mode and summaries, for the next
    /// session.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;
    /// The matrix is being computed.
    [[nodiscard]] bool working() const { return pictures_.working(); }

public Q_SLOTS:
    void setLayer(int layer);
    void setMode(int mode);  ///< a MatrixMode
    void pinB();             ///< the matrix becomes B: the window's reference, held at this layer and step
    /// B's step and layer follow A's (on), or stay.
    void setFollowing(bool on);

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addCommands();
    void addMatrixCommands();
    [[nodiscard]] QLayout* buildBar();
    [[nodiscard]] QWidget* buildBody();
    void traceChanged();
    void referenceChanged();
    void recomputeOther();
    /// The overview of a trace, on a worker; then shows it.
    void summarize(Background& work, const std::shared_ptr<const inspect::StateSource>& source,
                   Overview& into, void (SimilarityPanel::*show)());
    [[nodiscard]] std::optional<inspect::MatrixCell> cellOfOther() const;
    [[nodiscard]] OverviewRequest overviewRequest() const;
    [[nodiscard]] inspect::MaskedPositions masked() const;
    [[nodiscard]] RowOrder order() const;
    void updateChoices();
    void nextOrder();
    void recompute();
    void showOverview();
    void fitThumbnails();
    void showStep();
    void showSummary();
    void take(MatrixPicture picture);
    void showPair();
    /// The matrix of what a layer reads from the other side, else of its states.
    void showReading(bool ofText, int layer);
    void connectParts();
    void updateCapture();
    void requestCapture();
    void setHead();
    void offerHeads();
    [[nodiscard]] int head() const;  ///< from 0; -1: the mean
    [[nodiscard]] QList<QWidget*> savedParts() const;
    [[nodiscard]] std::shared_ptr<const inspect::StateSource> sourceOf(
        const std::shared_ptr<const trace::Trace>& trace) const;
    [[nodiscard]] inspect::MatrixKind kind() const;
    [[nodiscard]] int step() const;
    [[nodiscard]] QString captureSize() const;

    std::shared_ptr<const inspect::StateSource> source_;
    std::shared_ptr<const inspect::StateSource> otherSource_;  ///< of the window's reference; null = none
    std::optional<inspect::MatrixCell> held_;                  ///< fixed B; none = B follows A
    std::optional<inspect::MatrixCell> other_;                 ///< current B
    Overview overview_, otherOverview_;
    int layer_ = 0;
    int pairMode_ = static_cast<int>(MatrixMode::Difference);  ///< used once there is a B
    QComboBox *measure_, *mode_, *masked_, *order_;
    LastingChoiceBox *layers_, *head_;
    QPushButton *pin_, *capture_;
    QCheckBox *auto_, *following_;
    QLabel *title_, *value_, *captureNote_;
    ThumbnailGrid* grid_;
    QScrollArea* scroll_ = nullptr;
    QSplitter* rows_ = nullptr;  ///< thumbnails above the rest, or beside it
    bool rowsMoved_ = false;     ///< by the user
    MatrixView* matrix_;
    SimilarityCurves* curves_;
    RunSummaries* runs_;
    Background work_, otherWork_;
    Latest<MatrixRequest, MatrixPicture> pictures_;
};

}  // namespace kurve::views
