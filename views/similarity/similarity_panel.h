#pragma once

#include <QJsonObject>
#include <memory>
#include <optional>

#include "views/common/background.h"
#include "views/common/latest.h"
#include "views/common/panel.h"
#include "views/similarity/matrix_picture.h"
#include "views/states/similarity_overview.h"

class QCheckBox;
class QComboBox;
class QLabel;
class QPushButton;
class QScrollArea;
class QSplitter;
class QStackedLayout;

namespace kurve::views {

class EmptyState;
class RunSummaries;
class SimilarityCurves;
class ThumbnailGrid;
class WrapLayout;

/// How alike the states of the selected trace are: a picture per layer and step, one of them large, its
/// difference to a pinned one, and the summaries through the steps. Follows the window's playhead; matrices
/// are computed on a worker.
class SimilarityPanel : public Panel {
    Q_OBJECT
public:
    explicit SimilarityPanel(const StudioContext& window, QWidget* parent = nullptr);
    ~SimilarityPanel() override;

    [[nodiscard]] bool hasData() const override { return source_ != nullptr && !source_->layers().empty(); }
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] MatrixView* matrix() const { return matrix_; }
    [[nodiscard]] const Overview& overview() const { return overview_; }
    /// Measure, layer, head, order, scale, what becomes of masked slots, the form of a comparison and of the
    /// summaries, for another session.
    [[nodiscard]] QJsonObject save() const;
    void restore(const QJsonObject& kept);
    /// What is shown is not yet what the controls and the playhead say.
    [[nodiscard]] bool working() const { return pictures_.working(); }

public Q_SLOTS:
    void setLayer(int layer);
    void setMode(int mode);  ///< a MatrixMode
    void pinOther();         ///< what is shown becomes B: the window's reference, held at this layer and step
    /// B's step and layer go along with A's (on), or stay where they are.
    void setFollowing(bool on);

Q_SIGNALS:
    void choiceChanged();  ///< save() says something else now
    /// Denoise the shown trace's prompt again with the same settings and record `what`.
    void captureRequested(std::shared_ptr<const kurve::trace::Trace> trace, const QStringList& what);
    /// The empty state's button.
    void recordedTraceWanted();

protected:
    void resizeEvent(QResizeEvent* event) override;

private:
    void addCommands();
    void buildBar(WrapLayout* bar);
    void buildBody(class QVBoxLayout* column);
    void traceChanged();
    void referenceChanged();
    void recomputeOther();
    [[nodiscard]] std::optional<MatrixPlace> placeOfOther() const;
    [[nodiscard]] OverviewWish overviewWish() const;
    [[nodiscard]] MaskedSlots masked() const;
    [[nodiscard]] RowOrder order() const;
    void offerOrders();
    void nextOrder();
    void recompute();
    void showOverview();
    void showStep();
    void showSummary();
    void take(MatrixPicture picture);
    void showPair();
    void connectParts();
    void tellCapture();
    void askCapture();
    void listHeads();
    void setHead();
    [[nodiscard]] int head() const;
    [[nodiscard]] MatrixKind kind() const;
    [[nodiscard]] int step() const;
    [[nodiscard]] QString captureSize() const;

    std::shared_ptr<const StateSource> source_;
    std::shared_ptr<const StateSource> otherSource_;  ///< of the window's reference; null = none
    std::optional<MatrixPlace> held_;                 ///< where B stays; none = it goes along with A
    std::optional<MatrixPlace> other_;                ///< what B shows now
    bool pinning_ = false;                            ///< this panel changes the reference itself
    Overview overview_, otherOverview_;
    int layer_ = 0;
    int pairMode_ = static_cast<int>(MatrixMode::Difference);  ///< once there is a B
    int wantedHead_ = 0;  ///< an entry of head_, where there is such a one
    QString keptLayer_;   ///< of an earlier session, until there are layers
    QComboBox *layers_, *measure_, *mode_, *masked_, *order_, *head_;
    QPushButton *pin_, *capture_;
    QCheckBox *auto_, *following_;
    QLabel *title_, *value_, *captureNote_;
    ThumbnailGrid* grid_;
    QScrollArea* scroll_ = nullptr;
    QSplitter* rows_ = nullptr;  ///< the small pictures above the rest, or beside it
    MatrixView* matrix_;
    SimilarityCurves* curves_;
    RunSummaries* runs_;
    EmptyState* empty_;
    QStackedLayout* stack_;
    CancelToken cancel_;
    Background work_, otherWork_;
    Latest<MatrixWish, MatrixPicture> pictures_;
};

}  // namespace kurve::views
