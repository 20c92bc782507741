#include "views/imgui_host/imgui_widget.h"

#include <backends/imgui_impl_opengl3.h>

#include <QApplication>
#include <QFontInfo>
#include <QPaintEvent>
#include <QPainter>
#include <cfloat>
#include <cmath>
#include <utility>

#include "views/common/theme/theme_listener.h"
#include "views/imgui_host/gl_context.h"
#include "views/imgui_host/gl_target.h"
#include "views/imgui_host/imgui_version.h"
#include "views/imgui_host/vector_figure.h"

namespace kurve::views {
namespace {

constexpr int kFrameInterval = 16;  // ms between the frames of an animation

ImVec4 colour(ImU32 value) {
    return ImGui::ColorConvertU32ToFloat4(value);
}

/// Of the host's window and of tooltips, which are all that ImGui itself draws.
void applyStyle(const Ink& ink, float em) {
    ImGuiStyle style;
    style.WindowPadding = {0, 0};
    style.WindowBorderSize = 0;
    style.ItemSpacing = {em * 0.5F, em * 0.3F};
    style.Colors[ImGuiCol_PopupBg] = colour(ink.raised);
    style.Colors[ImGuiCol_Border] = colour(ink.line);
    ImGui::GetStyle() = style;
}

}  // namespace

ImGuiWidget::ImGuiWidget(QWidget* parent) : QWidget(parent), ink_(Ink::fromTheme(theme())) {
    setMouseTracking(true);
    setFocusPolicy(Qt::StrongFocus);
    setAttribute(Qt::WA_OpaquePaintEvent);
    next_.setSingleShot(true);
    next_.setInterval(0);
    connect(&next_, &QTimer::timeout, this, &ImGuiWidget::drawPending);
    soon_.setSingleShot(true);
    connect(&soon_, &QTimer::timeout, this, &ImGuiWidget::requestFrame);
    onThemeChange(this, &ImGuiWidget::restyle);
    clock_.start();
}

ImGuiWidget::~ImGuiWidget() {
    if (imgui_ == nullptr) return;
    {
        ImGuiScope scope(imgui_);
        if (gl_->makeCurrent() && ImGui::GetIO().BackendRendererUserData != nullptr)
            ImGui_ImplOpenGL3_Shutdown();
    }
    ImGui::DestroyContext(imgui_);
}

QSize ImGuiWidget::sizeHint() const {
    return {px(480), px(320)};
}
QSize ImGuiWidget::minimumSizeHint() const {
    return {px(120), px(80)};
}

void ImGuiWidget::requestFrame() {
    needsFrame_ = true;
    if (isVisible()) next_.start();  // a hidden one draws when it is painted again
}

void ImGuiWidget::drawPending() {
    if (!needsFrame_ || !isVisible()) return;
    drawFrame();
    update(fresh_);
}

void ImGuiWidget::restyle() {
    ink_ = Ink::fromTheme(theme());
    fontPixels_ = 0;  // fonts and sizes follow the zoom
    hasBackdrop_ = false;
    requestFrame();
}

// ---- drawing ----

bool ImGuiWidget::prepare() {
    if (!problem_.isEmpty()) return false;
    if (imgui_ != nullptr) return gl_->makeCurrent();
    auto gl = GlContext::shared();
    if (!gl) {
        problem_ = QString::fromStdString(gl.error().text());
        return false;
    }
    gl_ = *gl;
    gl_->makeCurrent();
    target_ = std::make_unique<GlTarget>(gl_);
    imgui_ = ImGui::CreateContext();
    ImGuiScope scope(imgui_);
    ImGuiIO& io = ImGui::GetIO();
    io.IniFilename = nullptr;
    io.BackendFlags |= ImGuiBackendFlags_HasMouseCursors;
    useKeyArrays(io);
    if (!ImGui_ImplOpenGL3_Init("#version 150")) {
        problem_ = tr("this view draws with OpenGL, and libGL.so.1 is missing; install libgl1");
        return false;
    }
    return true;
}

void ImGuiWidget::rebuildFonts(float ratio) {
    const auto pixels = static_cast<float>(QFontInfo(QApplication::font()).pixelSize());
    if (pixels == fontPixels_ && ratio == fontRatio_) return;
    fontPixels_ = pixels;
    fontRatio_ = ratio;
    ImGuiIO& io = ImGui::GetIO();
    fonts_ = buildFonts(*io.Fonts, pixels, ratio);
    io.FontGlobalScale = 1.0F / ratio;
    ImGui_ImplOpenGL3_DestroyFontsTexture();
    ImGui_ImplOpenGL3_CreateFontsTexture();
    io.Fonts->ClearTexData();
    applyStyle(ink_, pixels);
    hasBackdrop_ = false;
}

void ImGuiWidget::drawContent() {
    ImGui::NewFrame();
    ImGui::SetNextWindowPos({0, 0});
    ImGui::SetNextWindowSize(ImGui::GetIO().DisplaySize);
    // No background: the framebuffer was cleared to the paper colour, filling it twice costs milliseconds in
    // software.
    // No navigation by keys, which is the views' own: ImGui 1.90 loses a click in the frame that prepares it.
    constexpr ImGuiWindowFlags kFlags = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoBackground |
                                        ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                                        ImGuiWindowFlags_NoScrollWithMouse |
                                        ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoNavInputs;
    if (ImGui::Begin("host", nullptr, kFlags) && draw_) draw_();
    ImGui::End();
    ImGui::Render();
}

ImDrawList* ImGuiWidget::recordBackdrop(std::uint64_t key) {
    backdropWanted_ = true;
    if (hasBackdrop_ && key == backdropKey_) return nullptr;
    backdropKey_ = key;
    backdrop_ = std::make_unique<ImDrawList>(ImGui::GetDrawListSharedData());
    backdrop_->_ResetForNewFrame();
    backdrop_->PushTextureID(ImGui::GetIO().Fonts->TexID);
    backdrop_->PushClipRect({0, 0}, ImGui::GetIO().DisplaySize);
    return backdrop_.get();
}

bool ImGuiWidget::drawBackdrop(const QSize& pixels) {
    if (backdropTarget_ == nullptr) backdropTarget_ = std::make_unique<GlTarget>(gl_);
    if (!backdropTarget_->begin(pixels, theme().surface.rgb())) return false;
    ImDrawList* list = backdrop_.get();
    ImDrawData data = *ImGui::GetDrawData();
    setDrawList(data, list);
    ImGui_ImplOpenGL3_RenderDrawData(&data);
    backdrop_.reset();
    hasBackdrop_ = true;
    return true;
}

bool ImGuiWidget::drawOnPicture(const QSize& pixels) {
    TileSet drawsOn(pixels);
    drawsOn.add(*ImGui::GetDrawData());
    const bool anew =
        backdrop_ != nullptr || !hasBackdrop_ || picture_.size() != pixels || drawnOn_.pixels() != pixels;
    std::vector<QRect> parts{QRect(QPoint(0, 0), pixels)};
    if (!anew) {
        TileSet changes = drawsOn;
        parts = (changes |= drawnOn_).rectangles();
    }
    drawnOn_ = std::move(drawsOn);
    if (backdrop_ != nullptr && !drawBackdrop(pixels)) return false;
    if (!(hasBackdrop_ ? target_->beginOver(*backdropTarget_, parts)
                       : target_->begin(pixels, theme().surface.rgb())))
        return false;
    ImGui_ImplOpenGL3_RenderDrawData(ImGui::GetDrawData());
    drawMs_ = static_cast<double>(timer_.nsecsElapsed()) * 1e-6;
    timer_.restart();
    target_->readInto(picture_, parts);
    picture_.setDevicePixelRatio(devicePixelRatioF());
    readMs_ = static_cast<double>(timer_.nsecsElapsed()) * 1e-6;
    fresh_ = {};
    const double ratio = devicePixelRatioF();
    for (const QRect& part : parts)
        fresh_ += QRectF(part.left() / ratio, part.top() / ratio, part.width() / ratio, part.height() / ratio)
                      .toAlignedRect();
    return true;
}

void ImGuiWidget::beginFrame(float ratio) {
    ImGui_ImplOpenGL3_NewFrame();
    rebuildFonts(ratio);
    fonts_.texts->beginFrame(isFigure_);
    ImGuiIO& io = ImGui::GetIO();
    io.DisplaySize = {static_cast<float>(width()), static_cast<float>(height())};
    io.DisplayFramebufferScale = {ratio, ratio};
    io.DeltaTime = std::max(1e-4F, static_cast<float>(clock_.restart()) / 1000.0F);
}

void ImGuiWidget::drawFrame() {
    needsFrame_ = animating_ = false;
    const auto ratio = static_cast<float>(devicePixelRatioF());
    const QSize pixels(static_cast<int>(std::lround(static_cast<float>(width()) * ratio)),
                       static_cast<int>(std::lround(static_cast<float>(height()) * ratio)));
    if (pixels.isEmpty() || !prepare()) return;
    ImGuiScope scope(imgui_);
    timer_.start();
    beginFrame(ratio);
    const bool moreInput = input_.apply(ImGui::GetIO());
    if (hasBackdrop_ && backdropTarget_->size() != pixels) hasBackdrop_ = false;
    backdropWanted_ = false;
    drawContent();
    if (!backdropWanted_) hasBackdrop_ = false;  // an unrequested backdrop must not stay
    if (!drawOnPicture(pixels)) {
        problem_ = tr("the graphics driver refused an image of %1 x %2 pixels")
                       .arg(pixels.width())
                       .arg(pixels.height());
        return update();
    }
    ++frames_;
    showCursor();
    scheduleNext(moreInput);
}

void ImGuiWidget::beginTip() {
    const QRect part = visibleRegion().boundingRect(), visible = part.isEmpty() ? rect() : part;
    const auto within = [](float at, float size, int low, int high) {
        return std::max(static_cast<float>(low), std::min(at, static_cast<float>(high) - size));
    };
    const ImVec2 p = ImGui::GetIO().MousePos;
    const float gap = ImGui::GetFontSize();
    const bool above = p.y + gap + tipSize_.y > static_cast<float>(visible.bottom());
    const float y = above ? p.y - gap / 2 - tipSize_.y : p.y + gap;
    ImGui::SetNextWindowPos({within(p.x + gap, tipSize_.x, visible.left(), visible.right()),
                             within(y, tipSize_.y, visible.top(), visible.bottom())});
    ImGui::BeginTooltip();
}

void ImGuiWidget::endTip() {
    tipSize_ = ImGui::GetWindowSize();
    ImGui::EndTooltip();
}

void ImGuiWidget::scheduleNext(bool moreInput) {
    if (moreInput || animating_ || settle_-- > 0) soon_.start(moreInput ? 0 : kFrameInterval);
}

const QImage& ImGuiWidget::renderNow() {
    do drawFrame();
    while (problem_.isEmpty() && imgui_ != nullptr && !input_.empty());
    update();
    return picture_;
}

bool ImGuiWidget::paintVectors(QPainter& painter) {
    painter.fillRect(rect(), theme().surface);
    if (size().isEmpty()) return true;
    if (!prepare()) {
        drawProblem(painter);
        return true;
    }
    const ImGuiScope scope(imgui_);
    isFigure_ = true;
    beginFrame(1);
    ImGuiStyle& style = ImGui::GetStyle();
    const ImGuiStyle onScreen = style;
    style.AntiAliasedLines = style.AntiAliasedLinesUseTex = style.AntiAliasedFill = false;
    style.CircleTessellationMaxError = 0.05F;
    ImVec2& pointer = ImGui::GetIO().MousePos;
    const ImVec2 pointed = std::exchange(pointer, ImVec2(-FLT_MAX, -FLT_MAX));
    hasBackdrop_ = false;  // the backdrop has to be recorded as well
    drawContent();
    isFigure_ = false;
    drawLists(painter);
    backdrop_.reset();
    hasBackdrop_ = false;
    pointer = pointed;
    style = onScreen;
    requestFrame();
    return true;
}

void ImGuiWidget::drawLists(QPainter& painter) {
    painter.save();
    painter.setRenderHint(QPainter::Antialiasing);
    VectorFigure figure(painter);
    if (backdrop_ != nullptr) figure.draw(*backdrop_);
    const ImDrawData& data = *ImGui::GetDrawData();
    for (int i = 0; i < data.CmdListsCount; ++i) figure.draw(*data.CmdLists[i]);
    painter.restore();
}

void ImGuiWidget::showCursor() {
    const bool hand = ImGui::GetMouseCursor() == ImGuiMouseCursor_Hand;
    const Qt::CursorShape shape = hand ? Qt::PointingHandCursor : Qt::ArrowCursor;
    if (cursor().shape() != shape) setCursor(shape);
}

void ImGuiWidget::paintEvent(QPaintEvent* event) {
    if (needsFrame_ || picture_.isNull()) {
        drawFrame();
        if (const QRegion rest = fresh_ - event->region(); !rest.isEmpty()) update(rest);
    }
    QPainter painter(this);
    if (!problem_.isEmpty() || picture_.isNull()) return drawProblem(painter);
    const auto ratio = static_cast<int>(picture_.devicePixelRatio());
    if (ratio != picture_.devicePixelRatio()) return painter.drawImage(QPointF(0, 0), picture_);
    for (const QRect& part : event->region())
        painter.drawImage(part, picture_, QRect(part.topLeft() * ratio, part.size() * ratio));
}

void ImGuiWidget::drawProblem(QPainter& painter) {
    painter.fillRect(rect(), theme().surface);
    painter.setPen(theme().muted);
    painter.drawText(rect().adjusted(px(16), px(16), -px(16), -px(16)), Qt::AlignCenter | Qt::TextWordWrap,
                     problem_);
}

}  // namespace kurve::views
