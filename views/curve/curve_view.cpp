#include "views/curve/curve_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/curve/curve_rooms.h"

namespace kurve::views {
namespace {

constexpr double kFlashSeconds = 0.7;
constexpr float kTurnPerPixel = 0.008F, kTakePixels = 3;

/// The control point that pulls most on a word.
int strongestControl(const CurveModel& model, int word) {
    int best = 0;
    for (int j = 1; j < model.controlPoints(); ++j)
        if (model.psi(word, j) > model.psi(word, best)) best = j;
    return best;
}

}  // namespace

void CurveView::setModel(std::shared_ptr<const CurveModel> model, bool keepCamera) {
    dropEdit();
    chosen_.clear();
    model_ = std::move(model);
    alignNumbers();
    if (!keepCamera) camera_.forget();
    pointed_ = {};
    hand_ = Hand::Free;
    ++generation_;
}

bool CurveView::hasStrip(const Side& side) {
    return side.frame.model.kind() == CurveKind::Spline;
}

/// B's numbers on A's steps, in the order of the members.
void CurveView::alignNumbers() {
    besideNumbers_ = {};
    if (other_ == nullptr || model_ == nullptr) return;
    const CurveNumbers& theirs = other_->numbers();
    for (const auto of : {&CurveNumbers::lengthRatio, &CurveNumbers::turning, &CurveNumbers::residual,
                          &CurveNumbers::nearestShown, &CurveNumbers::nearestTarget, &CurveNumbers::movement})
        for (int at = 0; at < model_->steps(); ++at)
            (besideNumbers_.*of)
                .push_back((theirs.*of)[static_cast<std::size_t>(
                    partnerStep(model_->trace(), at, other_->trace(), linkBy_))]);
}

void CurveView::setLinkBy(LinkBy by) {
    linkBy_ = by;
    alignNumbers();
    ++generation_;
}

void CurveView::setOther(std::shared_ptr<const CurveModel> model, std::string name) {
    other_ = std::move(model);
    alignNumbers();
    otherName_ = std::move(name);
    ++generation_;
}

void CurveView::dropEdit() {
    edit_.reset();
    decoded_.clear();
    hand_ = Hand::Free;
}

CurveFrame CurveView::frameOf(const CurveModel& model, int at, float em) const {
    CurveFrame frame{model, host_, std::clamp(at, 0, model.steps() - 1), layers, {}, false, em};
    frame.earlierSteps = earlierSteps;
    frame.stacked = stacked && layout == CurveLayout::Space;
    return frame;
}

int CurveView::stepOfOther() const {
    const int at = std::clamp(step, 0, model_->steps() - 1);
    return partnerStep(model_->trace(), at, other_->trace(), linkBy_);
}

std::vector<CurveView::Side> CurveView::sides(float em) {
    std::vector<Side> out;
    out.reserve(2);  // `first` stays where it is
    out.push_back({frameOf(*model_, step, em), {}});
    CurveFrame& first = out.front().frame;
    if (edit_ && edit_->step() == first.step) first.edit = edit_.get();
    first.chosen = &chosen_;
    first.flash = flash_;
    if (other_ == nullptr) return out;
    const int beside = stepOfOther();
    out.push_back({frameOf(*other_, beside, em), {}});
    names_ = {fmt::format("A · step {}", first.step + 1),
              fmt::format("{} · step {}", otherName_, beside + 1)};
    first.name = names_[0].c_str();
    out.back().frame.name = names_[1].c_str();
    return out;
}

void CurveView::place(std::vector<Side>& sides) {
    const float em = sides.front().frame.em, head = std::round(1.8F * em);
    const bool splines = std::any_of(sides.begin(), sides.end(), hasStrip);
    const CurveRooms rooms = roomsOfCurve(
        ImGui::GetWindowSize(), em, {static_cast<int>(sides.size()), splines, layout != CurveLayout::Planes});
    showNumbers_ = rooms.numbersShown;
    showStrip_ = rooms.strip;
    plotArea_ = rooms.plot;
    numbersArea_ = rooms.numbers;
    for (std::size_t i = 0; showStrip_ && i < sides.size(); ++i)
        strips_[i].place(sides[i].frame, rooms.strips[i]);
    const Box& area = numbersArea_;
    numbers_ = {{area.x, area.y + head, area.w, std::min(area.h - head, 22 * em)},
                10.4F * em,
                (other_ == nullptr ? 4.6F : 8.4F) * em};
    placePlots(sides, plotArea_);
}

void CurveView::placePlots(std::vector<Side>& sides, const Box& area) {
    std::vector<CurveAxes> axes{layout == CurveLayout::Space ? CurveAxes::Space : CurveAxes::First12};
    if (layout == CurveLayout::Planes) axes = {CurveAxes::First12, CurveAxes::First13, CurveAxes::Second23};
    const std::size_t count = sides.size();
    const bool stackSides = layout == CurveLayout::Planes;
    const std::size_t columns = stackSides ? axes.size() : count, rows = stackSides ? count : 1;
    const float gap = std::round(0.6F * sides.front().frame.em);
    const float w = (area.w - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
    const float h = (area.h - gap * static_cast<float>(rows - 1)) / static_cast<float>(rows);
    camera_.fit(*model_, {w, h});
    for (std::size_t side = 0; side < count; ++side)
        for (std::size_t a = 0; a < axes.size(); ++a) {
            const std::size_t column = stackSides ? a : side, row = stackSides ? side : 0;
            const Box box{std::round(area.x + (w + gap) * static_cast<float>(column)),
                          std::round(area.y + (h + gap) * static_cast<float>(row)), std::round(w),
                          std::round(h)};
            sides[side].plots.emplace_back(box, axes[a],
                                           camera_.sight(axes[a], box, sides[side].frame.model, stacked));
        }
}

void CurveView::pick(std::vector<Side>& sides) {
    pointed_ = {};
    if (hand_ == Hand::Control) {
        pointed_ = {-1, taken_};
    } else if (hand_ == Hand::Free) {
        for (const Side& side : sides)
            for (const CurvePlot& plot : side.plots)
                if (!pointed_) pointed_ = plot.pick(side.frame);
        for (std::size_t i = 0; showStrip_ && i < sides.size(); ++i)
            if (!pointed_ && hasStrip(sides[i])) pointed_ = strips_[i].pick(sides[i].frame.model);
    }
    for (Side& side : sides) {
        side.frame.pointed = static_cast<bool>(pointed_);
        side.frame.focus =
            side.frame.pointed ? pointed_ : CurveFocus{slot < side.frame.model.words() ? slot : -1, -1};
        if (side.frame.focus.word >= side.frame.model.words() ||
            side.frame.focus.control >= side.frame.model.controlPoints())
            side.frame.focus = {};
    }
}

// ---- the hand ----

void CurveView::press(const std::vector<Side>& sides, const CurvePlot& plot) {
    const bool space = plot.axes() == CurveAxes::Space;
    hand_ = space && !ImGui::GetIO().KeyShift ? Hand::Turn : Hand::Pan;
    const bool first = inPlot_ < sides.front().plots.size();
    const CurveFocus under = plot.pick(first ? sides.front().frame : sides.back().frame);
    const bool words = model_->kind() == CurveKind::WordsOnly;
    // On a trained curve most control points lie under a word, which is what the pointer finds.
    taken_ = words || under.control >= 0 ? (words ? under.word : under.control)
             : under.word >= 0           ? strongestControl(*model_, under.word)
                                         : -1;
    // A curve that was not taken leads nowhere: it cannot be dragged.
    if (!first || taken_ < 0 || plot.sight().layers || model_->shownCurve() >= 0) return;
    if (ImGui::GetIO().KeyCtrl) {
        hand_ = Hand::Free;
        return toggleChosen(taken_);
    }
    if (std::find(chosen_.begin(), chosen_.end(), taken_) == chosen_.end()) chosen_.clear();
    hand_ = Hand::Control;
    const bool again = edit_ && edit_->step() == sides.front().frame.step && edit_->controls() == dragged();
    takenBy_ = again ? edit_->by() : SpacePoint{};
}

void CurveView::toggleChosen(int control) {
    const auto at = std::find(chosen_.begin(), chosen_.end(), control);
    if (at == chosen_.end())
        chosen_.push_back(control);
    else
        chosen_.erase(at);
}

/// What goes with the point under the button.
std::vector<int> CurveView::dragged() const {
    return chosen_.empty() ? std::vector<int>{taken_} : chosen_;
}

void CurveView::dragControl(const CurvePlot& plot, CurveIntent& intent) {
    const ImVec2 way = ImGui::GetMouseDragDelta(0, 0);
    const int at = std::clamp(step, 0, model_->steps() - 1);
    const bool same = edit_ && edit_->step() == at && edit_->controls() == dragged();
    if (!same && std::hypot(way.x, way.y) < kTakePixels) return;
    const SpacePoint by = plot.sight().along(way);
    moveTo({takenBy_.x + by.x, takenBy_.y + by.y, takenBy_.z + by.z}, dragged(), intent);
}

/// Begins an edit of these control points at this step, if it is not the present one, and moves it.
void CurveView::moveTo(SpacePoint to, const std::vector<int>& controls, CurveIntent& intent) {
    const int at = std::clamp(step, 0, model_->steps() - 1);
    if (!edit_ || edit_->step() != at || edit_->controls() != controls) {
        edit_ = std::make_unique<CurveEdit>(model_, at, controls);
        intent.editBegan = true;
    }
    const SpacePoint was = edit_->by();
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
    if (model_ == nullptr || chosen_.empty() || sight_.layers || model_->shownCurve() >= 0) return intent;
    const int at = std::clamp(step, 0, model_->steps() - 1);
    const bool same = edit_ && edit_->step() == at && edit_->controls() == chosen_;
    const SpacePoint was = same ? edit_->by() : SpacePoint{}, by = sight_.along(pixels);
    moveTo({was.x + by.x, was.y + by.y, was.z + by.z}, chosen_, intent);
    return intent;
}

void CurveView::drag(const CurvePlot& plot, CurveIntent& intent) {
    const ImVec2 by = ImGui::GetIO().MouseDelta;
    if (hand_ == Hand::Control) return dragControl(plot, intent);
    if (by.x == 0 && by.y == 0) return;
    if (hand_ == Hand::Turn)
        camera_.turn(kTurnPerPixel * by.x, kTurnPerPixel * by.y);
    else
        camera_.pan(plot.sight(), by);
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
                camera_.zoom(plot.sight(), io.MousePos, std::pow(1.15F, io.MouseWheel));
            if (hand_ != Hand::Free && inPlot_ == number) drag(plot, intent);
            ++number;
        }
    if (hand_ == Hand::Free || ImGui::IsMouseDown(0)) return;
    intent.editReleased = hand_ == Hand::Control && edit_ && edit_->moved();
    hand_ = Hand::Free;
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
    const auto at = static_cast<std::size_t>(frame.step);
    std::vector<SeriesRow> out;
    const auto add = [&](const char* name, std::vector<float> CurveNumbers::*of, float least,
                         const char* pattern, float factor = 1) {
        const auto text = [&](const std::vector<float>& values) {
            return std::isnan(values[at]) ? std::string("–")
                                          : fmt::format(fmt::runtime(pattern), factor * values[at]);
        };
        out.push_back({name, frame.model.numbers().*of, least, text(frame.model.numbers().*of)});
        if (other_ == nullptr) return;
        out.back().beside = besideNumbers_.*of;
        out.back().besideNow = text(besideNumbers_.*of);
    };
    if (frame.model.kind() == CurveKind::Spline) {
        add("polygon / curve length", &CurveNumbers::lengthRatio, 0, "{:.2f}");
        add("curvature, whole turns", &CurveNumbers::turning, 0, "{:.1f}", 0.15915494F);
    }
    add("mean residual", &CurveNumbers::residual, 0, "{:.3f}");
    add("nearest = token shown", &CurveNumbers::nearestShown, 1, "{:.0f} %", 100);
    add(frame.model.referenceKnown() ? "nearest = reference" : "nearest = final token",
        &CurveNumbers::nearestTarget, 1, "{:.0f} %", 100);
    // The timeline's is that of the words: other points, another number.
    add(frame.model.kind() == CurveKind::WordsOnly ? "movement" : "movement of points",
        &CurveNumbers::movement, 0, "{:.3f}");
    return out;
}

void CurveView::drawNumbers(const CurveFrame& frame, ImDrawList& list) const {
    const Ink& ink = frame.ink();
    const float rule = std::round(numbersArea_.x - 1.2F * frame.em);
    list.AddRectFilled({rule, numbersArea_.y}, {rule + 1, numbersArea_.bottom()}, ink.grid);
    drawText(list, frame.fonts().bold, {numbersArea_.x, plotArea_.y - std::round(1.8F * frame.em)}, ink.text,
             other_ == nullptr ? "Over the steps" : "Over the steps: A, and B dashed");
    drawSeriesRows(list, frame.host, numbers_, rows(frame));
    float y = numbers_.area.bottom() + 1.2F * frame.em;
    const ImFont* font = frame.fonts().small;
    const trace::Vocabulary* vocabulary = frame.model.vocabulary();
    for (const std::string& line :
         {vocabulary == nullptr ? std::string("No embeddings recorded: no nearest tokens.")
          : vocabulary->whole()
              ? fmt::format("Nearest of all {} tokens of the checkpoint.", vocabulary->size())
              : fmt::format("Nearest of the {} tokens that were candidates.", vocabulary->size()),
          std::string("Dot size: confidence. Lightness: place in the sentence.")}) {
        if (y + frame.em > numbersArea_.bottom()) return;
        drawText(list, font, {numbersArea_.x, y}, ink.soft, elide(font, line, numbersArea_.w));
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
    if (showNumbers_) drawNumbers(frame, list);
}

std::uint64_t CurveView::stillKey() const {
    std::uint64_t key = generation_;
    for (const std::uint64_t part :
         {camera_.key(), layers.bits(), static_cast<std::uint64_t>(layout), std::uint64_t{stacked ? 1U : 0U}})
        key = (key ^ part) * 0x9E3779B97F4A7C15ULL + (key >> 29U);
    return key;
}

ImVec2 CurveView::placeOf(int control) const {
    const int at = std::clamp(step, 0, model_->steps() - 1);
    const CurveStep& shown = edit_ && edit_->step() == at ? edit_->shown() : model_->step(at);
    return sight_.at(shown.controls[static_cast<std::size_t>(control)], at);
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
    sight_ = parts.front().plots.front().sight();
    if (ImDrawList* still = host_.recordBackdrop(stillKey())) drawStill(parts, *still);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    for (const Side& side : parts)
        for (const CurvePlot& plot : side.plots) plot.drawMoving(side.frame, list);
    const CurveFrame& frame = parts.front().frame;
    for (std::size_t i = 0; showStrip_ && i < parts.size(); ++i)
        if (hasStrip(parts[i])) strips_[i].drawMoving(parts[i].frame, list);
    if (showNumbers_) {
        drawSeriesValues(list, host_, numbers_, rows(frame), frame.step);
        intent.step = scrubbedStep(numbers_.plot(), model_->steps());
    }
    if (ImGui::IsMouseClicked(0) && pointed_.word >= 0) intent.slot = pointed_.word;
    return intent;
}

}  // namespace kurve::views
