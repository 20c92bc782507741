#pragma once

#include <imgui.h>

#include <QElapsedTimer>
#include <QImage>
#include <QTimer>
#include <QWidget>
#include <functional>
#include <memory>

#include "views/common/table/view_table.h"
#include "views/imgui_host/imgui_fonts.h"
#include "views/imgui_host/imgui_input.h"
#include "views/imgui_host/ink.h"
#include "views/imgui_host/tile_set.h"

namespace kurve::views {

class GlContext;
class GlTarget;

/// A plain QWidget whose inside is drawn by Dear ImGui: into a framebuffer of an off-screen OpenGL context,
/// read back and painted by QPainter, so that it looks the same under X, offscreen and in tests, and any
/// number may stand side by side or float. Draws only on request (requestFrame(), input, resize, theme,
/// zoom), never in a loop; only what a frame changes is restored, read back and painted. Where no OpenGL can
/// be had it shows the reason instead. GUI thread only.
class ImGuiWidget : public QWidget, public Exported {
    Q_OBJECT
public:
    explicit ImGuiWidget(QWidget* parent = nullptr);
    ~ImGuiWidget() override;

    /// Called within a frame, in a borderless window that fills the widget (its size is
    /// ImGui::GetWindowSize()). Must only draw: computations belong to data changes.
    void setDraw(std::function<void()> draw) { draw_ = std::move(draw); }
    [[nodiscard]] const Ink& ink() const { return ink_; }
    [[nodiscard]] const ImGuiFonts& fonts() const { return fonts_; }
    /// Inside the draw function: the list of the static backdrop if it has to be recorded again (the key
    /// differs from the last one, or size, fonts or theme changed); else null. It is below everything else
    /// and costs a copy per frame instead of a redraw (software rendering pays by the pixel). A frame that
    /// does not request it has none.
    [[nodiscard]] ImDrawList* recordBackdrop(std::uint64_t key);
    /// Inside the draw function: drawing between these two is a tooltip at the pointer, placed within the
    /// visible part of the widget: a scrolled page may show only a part of it.
    void beginTip();
    void endTip();
    /// Inside the draw function: requests another frame for an animation.
    void animate() { animating_ = true; }
    /// Inside the draw function: a figure is drawn; controls are left out.
    [[nodiscard]] bool isFigure() const { return isFigure_; }
    /// Empty while the widget can draw.
    [[nodiscard]] const QString& problem() const { return problem_; }

    /// Draws what is pending now and returns the picture (tests, export, bench).
    const QImage& renderNow();
    /// A frame as lines, outlines and texts, without hover effects.
    bool paintVectors(QPainter& painter) override;
    /// The data of what is drawn, for exports.
    void setTables(std::function<std::vector<ViewTable>()> tables) { tables_ = std::move(tables); }
    [[nodiscard]] std::vector<ViewTable> tables() const override {
        return tables_ ? tables_() : std::vector<ViewTable>();
    }
    [[nodiscard]] int frameCount() const { return frames_; }
    /// Milliseconds of the last frame: ImGui and OpenGL, then the way back into the picture.
    [[nodiscard]] double lastDrawMs() const { return drawMs_; }
    [[nodiscard]] double lastReadMs() const { return readMs_; }

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

public Q_SLOTS:
    void requestFrame();

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void inputArrived();
    void restyle();
    bool prepare();
    void rebuildFonts(float ratio);
    void drawPending();
    void drawFrame();
    void beginFrame(float ratio);
    void drawLists(QPainter& painter);
    void drawContent();
    bool drawBackdrop(const QSize& pixels);
    bool drawOnPicture(const QSize& pixels);
    void scheduleNext(bool moreInput);
    void showCursor();
    void drawProblem(QPainter& painter);

    std::function<void()> draw_;
    std::function<std::vector<ViewTable>()> tables_;
    Ink ink_;
    ImGuiFonts fonts_;
    float fontPixels_ = 0, fontRatio_ = 0;
    QString problem_;
    std::shared_ptr<GlContext> gl_;
    ImGuiContext* imgui_ = nullptr;
    ImGuiInput input_;
    std::unique_ptr<GlTarget> target_, backdropTarget_;
    std::unique_ptr<ImDrawList> backdrop_;  ///< recorded in this frame
    std::uint64_t backdropKey_ = 0;
    bool hasBackdrop_ = false, backdropWanted_ = false, isFigure_ = false;
    QImage picture_;
    TileSet drawnOn_;  ///< where the last frame drew over the backdrop
    QRegion fresh_;    ///< what the last frame changed in the widget
    QTimer next_;      ///< draws once the events that wait have been taken
    QTimer soon_;      ///< the next frame of an animation, or the settling one after input
    QElapsedTimer clock_, timer_;
    ImVec2 tipSize_;  ///< of the last frame
    int frames_ = 0, settle_ = 0;
    double drawMs_ = 0, readMs_ = 0;
    bool needsFrame_ = true, animating_ = false;
};

/// Makes one ImGui context current and puts the former one back: contexts never leak from one widget into
/// another.
class ImGuiScope {
public:
    explicit ImGuiScope(ImGuiContext* context) : former_(ImGui::GetCurrentContext()) {
        ImGui::SetCurrentContext(context);
    }
    ~ImGuiScope() { ImGui::SetCurrentContext(former_); }
    ImGuiScope(const ImGuiScope&) = delete;
    ImGuiScope& operator=(const ImGuiScope&) = delete;

private:
    ImGuiContext* former_;
};

}  // namespace kurve::views
