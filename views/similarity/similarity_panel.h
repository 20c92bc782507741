#pragma once

#include <memory>
#include <optional>

#include "views/common/background.h"
#include "views/common/latest.h"
#include "views/common/panel.h"
#include "views/similarity/matrix_picture.h"
#include "views/similarity/similarity_overview.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedLayout;

namespace kurve::views {

class EmptyState;
class SimilarityCurves;
class ThumbnailGrid;

/// How alike the states of the selected trace are: a picture per layer and step, one of them large, its
/// difference to a pinned one, and the summaries through the steps. Follows the window's playhead; matrices
/// are computed on a worker.
class SimilarityPanel : public Panel {
    Q_OBJECT
public:
    explicit SimilarityPanel(const StudioContext& context, QWidget* parent = nullptr);
    ~SimilarityPanel() override;

    [[nodiscard]] bool hasData() const override { return source_ != nullptr && !source_->layers().empty(); }
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] MatrixView* matrix() const { return matrix_; }
    [[nodiscard]] const Overview& overview() const { return overview_; }
    /// What is shown is not yet what the controls and the playhead say.
    [[nodiscard]] bool working() const { return pictures_.working(); }

public Q_SLOTS:
    void setLayer(int layer);
    void setMode(int mode);  ///< a MatrixMode
    void pinOther();         ///< what is shown becomes B

Q_SIGNALS:
    /// Denoise the shown trace's prompt again with the same settings and record `what`.
    void captureRequested(std::shared_ptr<const kurve::trace::Trace> trace, const QStringList& what);
    /// The empty state's button.
    void recordedTraceWanted();

protected:
    void keyPressEvent(QKeyEvent* event) override;
    void keyReleaseEvent(QKeyEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void addCommands();
    void buildBar(class QHBoxLayout* bar);
    void buildBody(class QVBoxLayout* column);
    void traceChanged();
    void recompute();
    void showOverview();
    void showStep();
    void showSummary();
    void take(MatrixPicture picture);
    void showPair();
    void connectParts();
    void tellCapture();
    [[nodiscard]] MatrixKind kind() const;
    [[nodiscard]] int step() const;
    [[nodiscard]] QString captureSize() const;

    std::shared_ptr<const StateSource> source_;
    std::optional<MatrixPlace> other_;
    Overview overview_, otherOverview_;
    int layer_ = 0;
    QComboBox *layers_, *measure_, *mode_;
    QPushButton *pin_, *capture_;
    QCheckBox *auto_, *likeness_;
    QLabel *title_, *value_, *captureNote_;
    ThumbnailGrid* grid_;
    QScrollArea* scroll_ = nullptr;
    QSplitter* rows_ = nullptr;  ///< the small pictures above the rest, or beside it
    MatrixView* matrix_;
    SimilarityCurves* curves_;
    EmptyState* empty_;
    QStackedLayout* stack_;
    CancelToken cancel_;
    Background work_, otherWork_;
    Latest<MatrixWish, MatrixPicture> pictures_;
};

}  // namespace kurve::views
