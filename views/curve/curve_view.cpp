#include "views/curve/curve_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/curve/curve_view_layout.h"

namespace kurve::views {
namespace {

constexpr double kFlashSeconds = 0.7;
constexpr float kRotationPerPixel = 0.008F, kDragPixels = 3;

/// The control point with the largest weight at a position.
int strongestControl(const inspect::CurveModel& model, int word) {
    int best = 0;
    for (int j = 1; j < model.controlPoints(); ++j)
        if (model.psi(word, j) > model.psi(word, best)) best = j;
    return best;
}

}  // namespace

void CurveView::setModel(std::shared_ptr<const inspect::CurveModel> model, bool keepCamera) {
    dropEdit();
    chosen_.clear();
    model_ = std::move(model);
    linkSteps();
    if (!keepCamera) camera_.reset();
    pointed_ = {};
    drag_ = Drag::None;
    ++generation_;
}

bool CurveView::hasStrip(const Side& side) {
    return side.frame.model.kind() == inspect::CurveKind::Spline;
}

void CurveView::linkSteps() {
    partners_.clear();
    for (int at = 0; other_ != nullptr && model_ != nullptr && at < model_->steps(); ++at)
        partners_.push_back(inspect::partnerStep(model_->trace(), at, other_->trace(), linkBy_));
}

void CurveView::setLinkBy(inspect::LinkBy by) {
    linkBy_ = by;
    linkSteps();
    ++generation_;
}

void CurveView::setOther(std::shared_ptr<const inspect::CurveModel> model) {
    other_ = std::move(model);
    linkSteps();
    ++generation_;
}

void CurveView::dropEdit() {
    edit_.reset();
    decoded_.clear();
    drag_ = Drag::None;
}

CurveFrame CurveView::frameOf(const inspect::CurveModel& model, int at, float em) const {
    CurveFrame frame{model, host_, std::clamp(at, 0, model.steps() - 1), layers, {}, false, em};
    frame.earlierSteps = earlierSteps;
    return frame;
}

int CurveView::stepOfOther() const {
    return partners_[static_cast<std::size_t>(std::clamp(step, 0, model_->steps() - 1))];
}

std::vector<CurveView::Side> CurveView::sides(float em) {
    std::vector<Side> out;
    out.reserve(2);  // `first` must stay valid
    out.push_back({frameOf(*model_, step, em), {}});
    CurveFrame& first = out.front().frame;
    if (edit_ && edit_->step() == first.step) first.edit = edit_.get();
    first.chosen = &chosen_;
    first.flash = flash_;
    if (other_ == nullptr) return out;
    const int beside = stepOfOther();
    out.push_back({frameOf(*other_, beside, em), {}});
    names_ = {fmt::format("A · step {}", first.step + 1), fmt::format("B · step {}", beside + 1)};
    first.name = names_[0].c_str();
    out.back().frame.name = names_[1].c_str();
    return out;
}

void CurveView::place(std::vector<Side>& sides) {
    const float em = sides.front().frame.em, head = std::round(1.8F * em);
    const bool splines = std::any_of(sides.begin(), sides.end(), hasStrip);
    const CurveViewLayout boxes = layoutOfCurve(
        ImGui::GetWindowSize(), em, {static_cast<int>(sides.size()), splines, layout != CurveLayout::Planes});
    showStatistics_ = boxes.statisticsShown;
    showStrip_ = boxes.strip;
    plotArea_ = boxes.plot;
    statisticsArea_ = boxes.statistics;
    for (std::size_t i = 0; showStrip_ && i < sides.size(); ++i)
        strips_[i].place(sides[i].frame, boxes.strips[i]);
    const Box& area = statisticsArea_;
    statistics_ = {{area.x, area.y + head, area.w, std::min(area.h - head, 22 * em)},
                   12 * em,
                   (other_ == nullptr ? 4.6F : 8.4F) * em};
    placePlots(sides, plotArea_);
}

void CurveView::placePlots(std::vector<Side>& sides, const Box& area) {
    std::vector<CurveAxes> axes{layout == CurveLayout::Space ? CurveAxes::Space : CurveAxes::First12};
    if (layout == CurveLayout::Planes) axes = {CurveAxes::First12, CurveAxes::First13, CurveAxes::Second23};
    const CurveFrame& frame = sides.front().frame;
    const float gap = std::round(0.6F * frame.em), below = CurvePlot::noteHeight(frame);
    const std::vector<Box> boxes =
        boxesOfPlots(area, static_cast<int>(sides.size()), static_cast<int>(axes.size()), gap, below);
    camera_.fit(*model_, {boxes.front().w, boxes.front().h});
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        Side& side = sides[i / axes.size()];
        const CurveAxes of = axes[i % axes.size()];
        side.plots.emplace_back(boxes[i], of, camera_.projection(of, boxes[i], side.frame.model, stacked));
    }
}

void CurveView::pick(std::vector<Side>& sides) {
    pointed_ = {};
    if (drag_ == Drag::Control) {
        pointed_ = {-1, draggedControl_};
    } else if (drag_ == Drag::None) {
        for (const Side& side : sides)
            for (const CurvePlot& plot : side.plots)
                if (!pointed_) pointed_ = plot.pick(side.frame);
        for (std::size_t i = 0; showStrip_ && i < sides.size(); ++i)
            if (!pointed_ && hasStrip(sides[i])) pointed_ = strips_[i].pick(sides[i].frame.model);
    }
    for (Side& side : sides) {
        side.frame.pointed = static_cast<bool>(pointed_);
        side.frame.focus = side.frame.pointed
                               ? pointed_
                               : CurveFocus{position < side.frame.model.words() ? position : -1, -1};
        if (side.frame.focus.word >= side.frame.model.words() ||
            side.frame.focus.control >= side.frame.model.controlPoints())
            side.frame.focus = {};
    }
}

// ---- mouse ----

void CurveView::press(const std::vector<Side>& sides, const CurvePlot& plot) {
    const bool space = plot.axes() == CurveAxes::Space;
    drag_ = space && !ImGui::GetIO().KeyShift ? Drag::Rotate : Drag::Pan;
    const bool first = inPlot_ < sides.front().plots.size();
    const CurveFocus under = plot.pick(first ? sides.front().frame : sides.back().frame);
    const bool words = model_->kind() == inspect::CurveKind::WordsOnly;
    // On a trained curve most control points are covered by a token, which the pointer hits.
    draggedControl_ = words || under.control >= 0 ? (words ? under.word : under.control)
                      : under.word >= 0           ? strongestControl(*model_, under.word)
                                                  : -1;
    // Only the selected curve can be dragged.
    if (!first || draggedControl_ < 0 || plot.projection().layers || model_->shownCurve() >= 0) return;
    if (ImGui::GetIO().KeyCtrl) {
        drag_ = Drag::None;
        return toggleChosen(draggedControl_);
    }
    if (std::find(chosen_.begin(), chosen_.end(), draggedControl_) == chosen_.end()) chosen_.clear();
    drag_ = Drag::Control;
    const bool again = edit_ && edit_->step() == sides.front().frame.step && edit_->controls() == dragged();
    dragOffset_ = again ? edit_->by() : inspect::SpacePoint{};
}

void CurveView::toggleChosen(int control) {
    const auto at = std::find(chosen_.begin(), chosen_.end(), control);
    if (at == chosen_.end())
        chosen_.push_back(control);
    else
        chosen_.erase(at);
}

/// The control points of this drag.
std::vector<int> CurveView::dragged() const {
    return chosen_.empty() ? std::vector<int>{draggedControl_} : chosen_;
}

void CurveView::dragControl(const CurvePlot& plot, CurveIntent& intent) {
    const ImVec2 delta = ImGui::GetMouseDragDelta(0, 0);
    const int at = std::clamp(step, 0, model_->steps() - 1);
    const bool same = edit_ && edit_->step() == at && edit_->controls() == dragged();
    if (!same && std::hypot(delta.x, delta.y) < kDragPixels) return;
    const inspect::SpacePoint by = plot.projection().along(delta);
    moveTo({dragOffset_.x + by.x, dragOffset_.y + by.y, dragOffset_.z + by.z}, dragged(), intent);
}

/// Moves these control points at this step; begins an edit unless it is the current one.
void CurveView::moveTo(inspect::SpacePoint to, const std::vector<int>& controls, CurveIntent& intent) {
    const int at = std::clamp(step, 0, model_->steps() - 1);
    if (!edit_ || edit_->step() != at || edit_->controls() != controls) {
        edit_ = std::make_unique<inspect::CurveEdit>(model_, at, controls);
        intent.editBegan = true;
    }
    const inspect::SpacePoint was = edit_->by();
    if (to.x == was.x && to.y == was.y && to.z == was.z) return;
    edit_->move(to);
    intent.editMoved = true;
}

int CurveView::chooseNext(int by) {
    const int count = model_ != nullptr ? model_->controlPoints() : 0;
    if (count == 0) return -1;
    const int now = chosen_.empty() ? (by > 0 ? -1 : count) : chosen_.back();
    chosen_ = {(now + by + count) % count};
    return chosen_.front();
}

CurveIntent CurveView::nudge(ImVec2 pixels) {
    CurveIntent intent;
    if (model_ == nullptr || chosen_.empty() || projection_.layers || model_->shownCurve() >= 0)
        return intent;
    const int at = std::clamp(step, 0, model_->steps() - 1);
    const bool same = edit_ && edit_->step() == at && edit_->controls() == chosen_;
    const inspect::SpacePoint was = same ? edit_->by() : inspect::SpacePoint{},
                              by = projection_.along(pixels);
    moveTo({was.x + by.x, was.y + by.y, was.z + by.z}, chosen_, intent);
    return intent;
}

void CurveView::drag(const CurvePlot& plot, CurveIntent& intent) {
    const ImVec2 by = ImGui::GetIO().MouseDelta;
    if (drag_ == Drag::Control) return dragControl(plot, intent);
    if (by.x == 0 && by.y == 0) return;
    if (drag_ == Drag::Rotate)
        camera_.rotate(kRotationPerPixel * by.x, kRotationPerPixel * by.y);
    else
        camera_.pan(plot.projection(), by);
}

void CurveView::handlePointer(const std::vector<Side>& sides, CurveIntent& intent) {
    const ImGuiIO& io = ImGui::GetIO();
    std::size_t number = 0;
    for (const Side& side : sides)
        for (const CurvePlot& plot : side.plots) {
            const bool inside = plot.area().contains(io.MousePos);
            if (inside && ImGui::IsMouseClicked(0)) {
                inPlot_ = number;
                press(sides, plot);
            }
            if (inside && io.MouseWheel != 0)
                camera_.zoom(plot.projection(), io.MousePos, std::pow(1.15F, io.MouseWheel));
            if (drag_ != Drag::None && inPlot_ == number) drag(plot, intent);
            ++number;
        }
    if (drag_ == Drag::None || ImGui::IsMouseDown(0)) return;
    intent.editReleased = drag_ == Drag::Control && edit_ && edit_->moved();
    drag_ = Drag::None;
}

void CurveView::updateFlash() {
    std::vector<int> now;
    for (int w = 0; edit_ && w < model_->words(); ++w)
        if (edit_->changed(w)) now.insert(now.end(), {w, edit_->nearest(w)});
    if (now != decoded_ && !now.empty()) flashFrom_ = ImGui::GetTime();
    decoded_ = std::move(now);
    flash_ = static_cast<float>(std::max(0.0, 1 - (ImGui::GetTime() - flashFrom_) / kFlashSeconds));
    if (decoded_.empty()) flash_ = 0;
    if (flash_ > 0) host_.animate();
}

// ---- drawing ----

std::vector<SeriesRow> CurveView::rows(const CurveFrame& frame) const {
    std::vector<SeriesRow> out;
    const auto add = [&](const char* name, std::vector<float> inspect::CurveStatistics::*of, float least,
                         const char* form, float factor = 1) {
        out.push_back({name, frame.model.statistics().*of, least, form, factor});
        if (other_ == nullptr) return;
        out.back().beside = other_->statistics().*of;
        out.back().partners = partners_;
    };
    if (frame.model.kind() == inspect::CurveKind::Spline) {
        add("polygon / curve length", &inspect::CurveStatistics::lengthRatio, 0, "{:.2f}");
        add("total curvature (turns)", &inspect::CurveStatistics::turning, 0, "{:.1f}", 0.15915494F);
    }
    add("mean residual", &inspect::CurveStatistics::residual, 0, "{:.3f}");
    add("nearest = token shown", &inspect::CurveStatistics::nearestShown, 1, "{:.0f} %", 100);
    add(frame.model.referenceKnown() ? "nearest = reference" : "nearest = final token",
        &inspect::CurveStatistics::nearestTarget, 1, "{:.0f} %", 100);
    // Not the timeline's movement, which is of the latents.
    add(frame.model.kind() == inspect::CurveKind::WordsOnly ? "movement" : "movement of control points",
        &inspect::CurveStatistics::movement, 0, "{:.3f}");
    return out;
}

void CurveView::drawStatistics(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    const float rule = std::round(statisticsArea_.x - 1.2F * frame.em);
    list.AddRectFilled({rule, statisticsArea_.y}, {rule + 1, statisticsArea_.bottom()}, ink.grid);
    drawText(list, frame.fonts().bold, {statisticsArea_.x, plotArea_.y - std::round(1.8F * frame.em)},
             ink.text, other_ == nullptr ? "Statistics per step" : "Statistics per step: A; B dashed");
    drawSeriesRows(list, frame.host, statistics_, rows(frame));
    float y = statistics_.area.bottom() + 1.2F * frame.em;
    const TextFace* font = frame.fonts().small;
    const trace::Vocabulary* vocabulary = frame.model.vocabulary();
    for (const std::string& line :
         {vocabulary == nullptr ? std::string("No embeddings recorded.")
          : vocabulary->whole() ? fmt::format("Nearest of all {} tokens.", vocabulary->size())
                                : fmt::format("Nearest of the {} candidate tokens.", vocabulary->size()),
          std::string("Size: confidence. Lightness: position in the sentence.")}) {
        if (y + frame.em > statisticsArea_.bottom()) return;
        drawText(list, font, {statisticsArea_.x, y}, ink.soft, elide(font, line, statisticsArea_.w));
        y += 1.25F * frame.em;
    }
}

void CurveView::drawStill(const std::vector<Side>& sides, ImDrawList& list) const {
    const CurveFrame& frame = sides.front().frame;
    drawText(list, frame.fonts().bold, {plotArea_.x, plotArea_.y - std::round(1.8F * frame.em)},
             frame.ink().text, elide(frame.fonts().bold, frame.model.description(), plotArea_.w));
    for (const Side& side : sides)
        for (const CurvePlot& plot : side.plots) plot.drawStill(side.frame, list);
    for (std::size_t i = 0; showStrip_ && i < sides.size(); ++i)
        if (hasStrip(sides[i])) strips_[i].drawStill(sides[i].frame, list);
    if (showStatistics_) drawStatistics(frame, list);
}

std::uint64_t CurveView::stillKey() const {
    std::uint64_t key = generation_;
    for (const std::uint64_t part :
         {camera_.key(), layers.bits(), static_cast<std::uint64_t>(layout), std::uint64_t{stacked ? 1U : 0U}})
        key = (key ^ part) * 0x9E3779B97F4A7C15ULL + (key >> 29U);
    return key;
}

ImVec2 CurveView::pixelOf(int control) const {
    const int at = std::clamp(step, 0, model_->steps() - 1);
    const inspect::CurveStep& shown = edit_ && edit_->step() == at ? edit_->shown() : model_->step(at);
    return projection_.at(shown.controls[static_cast<std::size_t>(control)], at);
}

CurveIntent CurveView::draw() {
    CurveIntent intent;
    if (model_ == nullptr) return intent;
    updateFlash();
    const float em = ImGui::GetFontSize();
    std::vector<Side> parts = sides(em);
    place(parts);
    handlePointer(parts, intent);
    parts = sides(em);  // the camera or the edit may have moved
    place(parts);
    pick(parts);
    projection_ = parts.front().plots.front().projection();
    if (ImDrawList* still = host_.recordBackdrop(stillKey())) drawStill(parts, *still);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const Side& side : parts)
        for (const CurvePlot& plot : side.plots) plot.drawMoving(side.frame, list);
    const CurveFrame& frame = parts.front().frame;
    for (std::size_t i = 0; showStrip_ && i < parts.size(); ++i)
        if (hasStrip(parts[i])) strips_[i].drawMoving(parts[i].frame, list);
    if (showStatistics_) {
        drawSeriesValues(list, host_, statistics_, rows(frame), frame.step);
        intent.step = scrubbedStep(statistics_.plot(), model_->steps());
    }
    if (ImGui::IsMouseClicked(0) && pointed_.word >= 0) intent.position = pointed_.word;
    return intent;
}

}  // namespace kurve::views
