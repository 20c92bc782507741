#pragma once

#include <memory>

#include "views/common/background.h"
#include "views/common/panel.h"
#include "views/curve/curve_view.h"

class QHBoxLayout;
class QLabel;
class QStackedLayout;
class QToolButton;

namespace kurve::views {

class EmptyState;

/// The sentence-curve view of the selected trace: control points, curve, words and vocabulary in one fixed
/// plane, the basis functions under it. Follows the window's playhead and selection; the model is computed on
/// a worker thread.
class CurvePanel : public Panel {
    Q_OBJECT
public:
    explicit CurvePanel(const StudioContext& context, QWidget* parent = nullptr);
    ~CurvePanel() override;

    [[nodiscard]] bool hasData() const override { return view_.model() != nullptr; }
    [[nodiscard]] QString statement() const override;
    [[nodiscard]] ImGuiWidget* canvas() const { return canvas_; }

Q_SIGNALS:
    /// The empty state's button: show the newest recorded trace of the run.
    void recordedTraceWanted();

protected:
    void showEvent(QShowEvent* event) override;

private:
    void buildBar(QWidget* bar);
    void addLayer(QHBoxLayout* row, const char* id, const QString& text, const QString& help,
                  bool CurveLayers::*layer);
    void traceChanged();
    void modelReady(const Result<std::shared_ptr<const CurveModel>>& model);
    void draw();

    ImGuiWidget* canvas_;
    CurveView view_;
    EmptyState* empty_ = nullptr;
    QStackedLayout* stack_ = nullptr;
    Background background_;
    bool adopted_ = false;
};

}  // namespace kurve::views
