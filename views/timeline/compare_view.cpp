#include "views/timeline/compare_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "views/timeline/map_glyphs.h"
#include "views/timeline/map_marks.h"

namespace kurve::views {

void CompareView::set(std::shared_ptr<const inspect::TraceComparison> comparison) {
    pair_ = std::move(comparison);
    for (Side* side : {&a_, &b_}) {
        side->canvas.forget();
        side->ranks.forget();
    }
    ++generation_;
    statistics_.setBeside(nullptr);
    if (pair_ == nullptr) return;
    std::tie(a_.name, b_.name) = inspect::distinguishingNames(pair_->a().trace(), pair_->b().trace());
    statistics_.setBeside(pair_.get());
}

namespace {

/// In text sizes: outer margin, heading, gap, maximum strip height, minimum text height (two lines), and the
/// limits from which on texts are beside the maps.
constexpr float kPairMargin = 0.9F, kPairHead = 1.8F, kPairGap = 1, kMostStrip = 6, kPairLeastText = 6.5F,
                kPairWide = 62, kPairLow = 34;
constexpr float kStripFraction = 0.12F;

}  // namespace

float CompareView::minimumHeight(float width, float em) const {
    if (pair_ == nullptr) return 0;
    // Both maps are of one height.
    const float maps =
        2 * TimelineMap::minimumHeight(std::max(pair_->a().positions(), pair_->b().positions()), em);
    const float low = (maps + (2 * kPairHead + kPairGap) * em) / (1 - kStripFraction);
    const bool beside = width - 2 * kPairMargin * em > kPairWide * em && low < kPairLow * em;
    return 2 * kPairMargin * em +
           (beside ? low : maps + (4 * kPairHead + 2 * kPairGap + kMostStrip + 2 * kPairLeastText) * em);
}

CompareView::Plan CompareView::plan(const TimelineFrame& a, const TimelineFrame& b) {
    const float em = a.em;
    const ImVec2 size = ImGui::GetWindowSize();
    const Box all = Box{0, 0, size.x, size.y}.inset(std::round(kPairMargin * em));
    Plan out;
    out.head = std::round(kPairHead * em);
    // In a low widget the texts are beside the maps, in a high one below them with the candidates beside.
    const bool wide = all.w > kPairWide * em, low = wide && all.h < kPairLow * em;
    out.details = wide && !low;
    const float sideW = !wide ? 0 : std::round(low ? 0.42F * all.w : std::min(34 * em, all.w * 0.34F));
    const float x = all.right() - sideW, mainW = all.w - (wide ? sideW + 2.4F * em : 0);
    const float textW = low ? sideW : mainW;
    out.numbers = out.details || (low && all.h > 21 * em);
    const float numbersH = !out.numbers ? 0 : low ? std::min(13 * em, 0.42F * all.h) : 14 * em;
    const float stripH = std::round(std::clamp(kStripFraction * all.h, 1.4F * em, kMostStrip * em));
    const float available = all.h - stripH - (low ? 2 : 4) * out.head - (low ? 1 : 2) * kPairGap * em;
    const float maps = 2 * TimelineMap::minimumHeight(std::max(a.model.positions(), b.model.positions()), em);
    const auto textHeight = [&](Side& side, const TimelineFrame& frame) {
        const float preferred = side.canvas.prepare(frame, textW) + 0.3F * em;
        return low ? (all.h - numbersH - 2 * out.head) / 2
                   : std::max(3.4F * em, std::min({preferred, 0.26F * available, (available - maps) / 2}));
    };
    const float textA = textHeight(a_, a), textB = textHeight(b_, b);
    const float mapH = std::max(3 * em, (available - (low ? 0 : textA + textB)) / 2);
    a_.mapBox = {all.x, all.y + out.head, mainW, mapH};
    a_.map.place(a, a_.mapBox);
    out.strip = {a_.map.cells().x, std::round(a_.map.bottom() + 0.5F * em), a_.map.cells().w, stripH};
    b_.mapBox = {all.x, out.strip.bottom() + 0.3F * em + out.head, mainW, mapH};
    b_.map.place(b, b_.mapBox);
    a_.textBox = {low ? x : all.x, low ? a_.mapBox.y : std::round(b_.map.bottom() + 0.8F * em) + out.head,
                  textW, textA};
    b_.textBox = {a_.textBox.x, a_.textBox.bottom() + out.head, textW, textB};
    const float half = std::min((all.h - numbersH - 2.8F * em) / 2, 20 * em);
    a_.ranksBox = {x, all.y, sideW, half};
    b_.ranksBox = {x, all.y + half + 1.4F * em, sideW, half};
    const float below = low ? b_.textBox.bottom() + 0.6F * em : b_.ranksBox.bottom() + 1.4F * em;
    out.statistics = {x, below, sideW, std::min(all.bottom() - below, numbersH)};
    if (out.numbers) statistics_.place(a, out.statistics);
    return out;
}

void CompareView::drawStrip(const TimelineFrame& frame, ImDrawList& list, const Box& box) {
    const int steps = pair_->a().steps(), positions = pair_->positions();
    const Ink& ink = frame.ink();
    const ImU32 same = mix(ink.paper, ink.grid, 0.7F), other = mix(ink.paper, ink.change, 0.55F);
    std::vector<ImU32> pixels;
    for (int position = 0; position < positions; ++position)
        for (int step = 0; step < steps; ++step)
            pixels.push_back(pair_->differs(step, position) ? other : same);
    cells_.set(steps, positions, pixels);
    list.AddImage(cells_.id(), box.min(), box.max());
    drawText(list, frame.fonts().small, {box.x - 0.8F * frame.em, box.y + box.h / 2 - 0.5F * frame.em},
             ink.soft, "differs", 1);
    // A diamond at the first differing position.
    const float w = box.w / static_cast<float>(steps), r = std::clamp(0.3F * w, 1.5F, 0.32F * frame.em);
    for (int step = 0; step < steps; ++step) {
        const int first = pair_->firstPosition(step);
        if (first < 0) continue;
        const float y = box.y + (static_cast<float>(first) + 0.5F) * box.h / static_cast<float>(positions);
        drawDiamond(list, {box.x + (static_cast<float>(step) + 0.5F) * w, y}, r, ink.text);
    }
}

void CompareView::drawStill(const TimelineFrame& a, const TimelineFrame& b, ImDrawList& list,
                            const Plan& plan) {
    const float em = a.em;
    const float legendW = std::min(24 * em, 0.7F * a_.mapBox.w);
    drawMapLegend(a, list, {a_.mapBox.right() - legendW, a_.mapBox.y - plan.head, legendW, 1.2F * em});
    const auto heading = [&](const char* letter, const std::string& name, const Box& box, float width) {
        const float y = box.y - plan.head;
        drawText(list, a.fonts().bold, {box.x, y}, a.ink().text, letter);
        drawText(list, a.fonts().text, {box.x + 1.4F * em, y}, a.ink().soft,
                 elide(a.fonts().text, name, width - 1.4F * em));
    };
    heading("A", a_.name, a_.mapBox, a_.mapBox.w - legendW - em);
    heading("B", b_.name, b_.mapBox, b_.mapBox.w);
    heading("A", {}, a_.textBox, a_.textBox.w);
    heading("B", "differing tokens framed", b_.textBox, b_.textBox.w);
    a_.map.drawStill(a, list);
    drawFoundMarks(a, list, a_.map.cells());
    drawStrip(a, list, plan.strip);
    b_.map.drawStill(b, list);
    if (plan.numbers) statistics_.drawStill(a, list);
    if (!plan.details) return;
    a_.ranks.drawStill(a, list);
    b_.ranks.drawStill(b, list);
}

void CompareView::drawSummary(const TimelineFrame& frame, ImDrawList& list, const Plan& plan) const {
    const int count = pair_->count(frame.step), first = pair_->firstPosition(frame.step);
    std::string summary = count == 0 ? "no position differs at this step"
                                     : fmt::format("{} of {} positions differ, position {} first", count,
                                                   pair_->positions(), first);
    if (const int began = pair_->firstStep(); began < 0)
        summary = "no position differs at any step";
    else
        summary += fmt::format("; differing from step {} on", began + 1);
    summary += fmt::format("   ·   A step {}, B step {}", frame.step + 1, pair_->partner(frame.step) + 1);
    const TextFace* font = frame.fonts().small;
    drawText(list, font, {a_.textBox.right(), a_.textBox.y - plan.head + 0.1F * frame.em}, frame.ink().soft,
             elide(font, summary, a_.textBox.w - 1.6F * frame.em), 1);
}

void CompareView::pointAtStrip(const TimelineFrame& frame, const Box& box, TimelineIntent& intent) const {
    const float w = box.w / static_cast<float>(pair_->a().steps());
    const float x = box.x + static_cast<float>(frame.step) * w;
    ImGui::GetWindowDrawList()->AddRect({x - 1, box.y - 1}, {x + std::max(w, 3.0F), box.bottom() + 1},
                                        frame.ink().playhead, 0, 0, 2.0F);
    const ImVec2 p = ImGui::GetIO().MousePos;
    if (!box.contains(p)) return;
    const auto cell = [](float offset, float extent, int n) {
        return std::clamp(static_cast<int>(offset / extent * static_cast<float>(n)), 0, n - 1);
    };
    const int step = cell(p.x - box.x, box.w, pair_->a().steps());
    if (ImGui::IsMouseDown(0)) intent.step = step;
    if (ImGui::IsMouseClicked(0) && pair_->firstPosition(step) >= 0)
        intent.position = pair_->firstPosition(step);
    host_.beginTip();
    drawTipLine(host_.fonts().text, host_.ink().text,
                fmt::format("step {} and step {} of B: {} of {} positions differ", step + 1,
                            pair_->partner(step) + 1, pair_->count(step), pair_->positions()));
    if (const int first = pair_->firstPosition(step); first >= 0) {
        const auto token = [first](const inspect::TimelineModel& m, int at) {
            return first < m.positions() ? m.textOf(m.token(at, first)).text : std::string("nothing");
        };
        drawTipLine(host_.fonts().text, host_.ink().soft,
                    fmt::format("position {} first: \"{}\" and \"{}\"", first, token(pair_->a(), step),
                                token(pair_->b(), pair_->partner(step))));
    }
    host_.endTip();
}

void CompareView::mark(int stepOfA) {
    const auto count = static_cast<std::size_t>(pair_->positions());
    a_.marked.assign(count, false);
    for (std::size_t position = 0; position < count; ++position)
        a_.marked[position] = pair_->differs(stepOfA, static_cast<int>(position));
    b_.marked = a_.marked;
}

TimelineFrame CompareView::frameOf(const inspect::TimelineModel& model, const TimelineState& state) const {
    const bool first = &model == &pair_->a();
    const int at = std::clamp(state.step, 0, pair_->a().steps() - 1);
    TimelineState own = first ? state : TimelineState{.measure = state.measure, .grid = state.grid};
    own.step = first ? at : pair_->partner(at);
    own.position = state.position < model.positions() ? state.position : -1;
    return {own,
            model,
            host_,
            ImGui::GetFontSize(),
            std::max(pair_->a().top(state.measure), pair_->b().top(state.measure)),
            first ? &a_.marked : &b_.marked};
}

TimelineIntent CompareView::draw(const TimelineState& state) {
    TimelineIntent intent;
    if (pair_ == nullptr) return intent;
    const inspect::TimelineModel &ma = pair_->a(), &mb = pair_->b();
    mark(std::clamp(state.step, 0, ma.steps() - 1));
    const TimelineFrame a = frameOf(ma, state), b = frameOf(mb, state);
    const Plan layout = plan(a, b);
    const int shown = RankFlowView::positionFor(ma, a.position);
    const int shownB = std::min(shown, mb.positions() - 1);
    if (layout.details) {
        a_.ranks.place(a, a_.ranksBox, shown);
        b_.ranks.place(b, b_.ranksBox, shownB);
    }
    const std::uint64_t key = ((generation_ * 4 + static_cast<std::uint64_t>(state.measure)) << 16U |
                               static_cast<std::uint64_t>(shown)) ^
                              (std::uint64_t{1} << 63U);
    if (ImDrawList* still = host_.recordBackdrop(key)) drawStill(a, b, *still, layout);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    TimelineIntent inB;
    a_.map.drawMoving(a, list, intent);
    b_.map.drawMoving(b, list, inB);
    drawPendingMarks(a, list, a_.map.cells());
    pointAtStrip(a, layout.strip, intent);
    drawSummary(a, list, layout);
    a_.canvas.draw(a, a_.textBox, intent);
    b_.canvas.draw(b, b_.textBox, inB);
    if (layout.details) {
        a_.ranks.drawMoving(a, list, intent);
        b_.ranks.drawMoving(b, list, inB);
    }
    if (layout.numbers) statistics_.drawMoving(a, list, intent);
    if (inB.step >= 0) intent.step = pair_->back(inB.step);
    if (inB.position > -2) intent.position = inB.position;
    if (ImGui::IsMouseReleased(1)) requestMenu(a, a_.map.cells(), intent);
    return intent;
}

}  // namespace kurve::views
