#pragma once

#include <memory>
#include <optional>
#include <set>

#include "views/common/data/background.h"
#include "views/common/shell/panel.h"
#include "views/curve/curve_view.h"

class QAction;
class QComboBox;
class QToolButton;

namespace kurve {
struct Schema;
}

namespace kurve::views {

class CommandGroup;
class BasisForm;
class LayerMenu;

/// The sentence-curve view of the selected trace: control points, curve, tokens and vocabulary in one fixed
/// plane or in space, and the basis functions. Follows the window's playhead and selection; models are
/// computed on a worker thread. Control points can be dragged; changed tokens go to the window's selection.
class CurvePanel : public Panel {
    Q_OBJECT
public:
    explicit CurvePanel(const StudioContext& window, QWidget* parent = nullptr);
    ~CurvePanel() override;

    [[nodiscard]] QString statement() const override;
    void engineInfoChanged() override;
    [[nodiscard]] ImGuiWidget* canvas() const { return canvas_; }
    [[nodiscard]] const CurveView& view() const { return view_; }
    /// A model or a vocabulary is being computed.
    [[nodiscard]] bool working() const { return building_ || loading_; }

    /// Layers, layout, basis and its lock, for the next session.
    [[nodiscard]] QJsonObject saveState() const override;
    void restoreState(const QJsonObject& saved) override;

protected:
    void showEvent(QShowEvent* event) override;

private:
    struct BuildResult;
    void addCommands();
    void addControlCommands(const CommandGroup& add);
    void addLayer(const char* id, const QString& text, const QString& help, bool CurveLayers::*layer);
    void buildLayers();
    void buildBar(QWidget* bar);
    QToolButton* addButton(QWidget* bar, const char* id, const QString& text);
    QToolButton* addMenu(QWidget* bar, const char* id, QMenu* menu, const QString& text);
    void setLayout(CurveLayout layout);
    void adoptPlayhead();
    void setRotationKeys(bool on);
    void traceChanged();
    [[nodiscard]] bool joinsTree(const trace::Trace& trace);
    [[nodiscard]] std::shared_ptr<const Schema> curvelessFamily(const trace::Trace& trace) const;
    void build(std::shared_ptr<const trace::Trace> trace, bool keepBasis);
    void take(BuildResult built);
    void listCurves();
    void loadVocabulary();
    void rebuild();
    void pin();
    void referenceChanged();
    void showPinned(std::shared_ptr<const inspect::CurveModel> model);
    void restore();
    void requestBranch();
    void draw();
    void follow(const CurveIntent& intent);
    void offerOther(bool on);
    void chooseControl(int by);
    void nudge(float right, float down);
    void branch();
    void addStepKeys();
    void startSearch();
    void publishPreview();
    void repaintView() { canvas_->requestFrame(); }

    ImGuiWidget* canvas_;
    CurveView view_;
    LayerMenu* layers_ = nullptr;
    BasisForm* basis_ = nullptr;
    QToolButton* basisButton_ = nullptr;
    QComboBox* curve_ = nullptr;
    QAction *lock_ = nullptr, *stacked_ = nullptr, *pin_ = nullptr;
    Background background_, vocabularies_, searches_, references_;
    std::shared_ptr<const trace::Vocabulary> vocabulary_;  ///< of the checkpoint vocabularyOf_
    std::string vocabularyOf_, vocabularyProblem_;
    std::shared_ptr<const inspect::CurveModel> pinned_;
    std::optional<inspect::CurveBasis> former_;
    std::set<std::string> tree_;  ///< the shown trace, its relatives shown before, and its parent
    bool ofTree_ = false;         ///< the axes are those of a previous trace of the tree
    bool building_ = false, loading_ = false;
    bool adopted_ = false;
};

}  // namespace kurve::views
