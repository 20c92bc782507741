#include "views/timeline/map_glyphs.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <vector>

#include "core/trace/map_marks.h"

namespace kurve::views {

using trace::TokenState;

namespace {

constexpr float kRamp = 7, kShortRamp = 3, kGlyph = 2;  ///< em

constexpr const char* kMore = "…";

struct Entry {
    const char* text;
    std::function<void(ImVec2)> draw;
};

/// Entries that occur, the most important first.
std::vector<Entry> entriesOf(const TimelineFrame& frame, ImDrawList* list) {
    const inspect::TimelineModel& m = frame.model;
    const float r = 0.28F * frame.em;
    const ImU32 ink = frame.ink().text;
    std::vector<Entry> out;
    const auto state = [&](TokenState which, const char* text) {
        if (m.occurs(which)) out.push_back({text, [=](ImVec2 c) { drawShape(*list, which, c, r, ink); }});
    };
    state(TokenState::Flip, m.continuous() ? "token changed" : "changed");
    state(TokenState::Remask, "remasked");
    if (m.marks().anyWillMask())
        out.push_back({"masked next", [=](ImVec2 c) { drawDotted(*list, c, 1.3F * r, ink); }});
    state(TokenState::Masked, m.emptyName());
    if (m.marks().anyCommitted())
        out.push_back({"block finished", [=](ImVec2 c) {
                           drawBracket(*list, {c.x - r, c.y - 1.3F * r}, 2.6F * r, ink);
                       }});
    state(TokenState::New, "new");
    state(TokenState::Given, "given");
    return out;
}

std::string highOf(const TimelineFrame& frame) {
    return fmt::format("{:.{}f}", frame.top, frame.measure == inspect::Measure::Confidence ? 0 : 2);
}

std::string lowOf(const TimelineFrame& frame) {
    return fmt::format("{}  0", inspect::measureText(frame.measure).name);
}

/// Of the ramp with its labels.
float rampWidth(const TimelineFrame& frame, float ramp) {
    const TextFace* font = frame.fonts().small;
    return textSize(font, highOf(frame)).x + textSize(font, lowOf(frame)).x + (ramp + 2.4F) * frame.em;
}

float entryWidth(const TimelineFrame& frame, const Entry& entry) {
    return textSize(frame.fonts().small, entry.text).x + kGlyph * frame.em;
}

float widthOf(const TimelineFrame& frame, const std::vector<Entry>& entries, float ramp) {
    float width = rampWidth(frame, ramp);
    for (const Entry& entry : entries) width += entryWidth(frame, entry);
    return width;
}

/// Returns the right end of the remaining line.
float drawRamp(const TimelineFrame& frame, ImDrawList& list, const Box& line, float ramp) {
    const Ink& ink = frame.ink();
    const TextFace* font = frame.fonts().small;
    const std::string high = highOf(frame), low = lowOf(frame);
    const float middle = line.y + line.h / 2, top = middle - textSize(font, "0").y / 2;
    const float rampW = ramp * frame.em, rampH = 0.6F * frame.em;
    float x = line.right() - textSize(font, high).x;
    drawText(list, font, {x, top}, ink.soft, high);
    x -= rampW + 0.4F * frame.em;
    for (int i = 0; i < 32; ++i) {
        const float a = x + rampW * static_cast<float>(i) / 32,
                    b = x + rampW * static_cast<float>(i + 1) / 32;
        list.AddRectFilled({a, middle - rampH / 2}, {b, middle + rampH / 2},
                           ink.at((static_cast<float>(i) + 0.5F) / 32));
    }
    list.AddRect({x, middle - rampH / 2}, {x + rampW, middle + rampH / 2}, ink.line);
    x -= 0.4F * frame.em;
    drawText(list, font, {x, top}, ink.soft, low, 1);
    return x - textSize(font, low).x - 1.6F * frame.em;
}

}  // namespace

void drawShape(ImDrawList& list, TokenState state, ImVec2 c, float r, ImU32 colour) {
    for (const trace::MarkShape& shape : trace::markShapes(state)) {
        if (const float radius = static_cast<float>(shape.radius) * r; radius > 0) {
            shape.filled ? list.AddCircleFilled(c, radius, colour, 10)
                         : list.AddCircle(c, radius, colour, 10, 1.4F);
            continue;
        }
        // Outlines on the middle of their pixels, as ImGui's own rectangles.
        const auto at = [&](double centre, double offset) {
            const double inward = shape.filled || shape.points.size() == 2 ? 0 : offset < 0 ? 0.5 : -0.49;
            return static_cast<float>(centre + offset * r + inward);
        };
        std::vector<ImVec2> points;
        for (const auto& [x, y] : shape.points) points.emplace_back(at(c.x, x), at(c.y, y));
        const int count = static_cast<int>(points.size());
        if (count == 2)
            list.AddLine(points[0], points[1], colour, 1.4F);
        else if (shape.filled)
            list.AddConvexPolyFilled(points.data(), count, colour);
        else
            list.AddPolyline(points.data(), count, colour, ImDrawFlags_Closed, 1);
    }
}

void drawDotted(ImDrawList& list, ImVec2 c, float r, ImU32 colour) {
    // Points must not touch: a small square is its corners.
    const int points = std::clamp(static_cast<int>(2 * r / 2.8F), 1, 4);  // a side
    for (int i = 0; i < points; ++i) {
        const float at = -r + 2 * r * static_cast<float>(i) / static_cast<float>(points);
        for (const ImVec2 p : {ImVec2{c.x + at, c.y - r}, ImVec2{c.x + r, c.y + at},
                               ImVec2{c.x - at, c.y + r}, ImVec2{c.x - r, c.y - at}})
            list.AddRectFilled({p.x - 0.5F, p.y - 0.5F}, {p.x + 1, p.y + 1}, colour);
    }
}

void drawBracket(ImDrawList& list, ImVec2 top, float height, ImU32 colour) {
    const float foot = std::clamp(height * 0.2F, 3.0F, 6.0F);
    list.AddRectFilled(top, {top.x + 2, top.y + height - 1}, colour);
    list.AddRectFilled(top, {top.x + foot, top.y + 2}, colour);
    list.AddRectFilled({top.x, top.y + height - 3}, {top.x + foot, top.y + height - 1}, colour);
}

float mapLegendWidth(const TimelineFrame& frame) {
    return widthOf(frame, entriesOf(frame, nullptr), kRamp);
}

void drawMapLegend(const TimelineFrame& frame, ImDrawList& list, const Box& line) {
    const TextFace* font = frame.fonts().small;
    std::vector<Entry> entries = entriesOf(frame, &list);
    const float ramp = widthOf(frame, entries, kRamp) <= line.w ? kRamp : kShortRamp;
    bool shortened = false;
    while (!entries.empty() &&
           widthOf(frame, entries, ramp) + (shortened ? textSize(font, kMore).x : 0) > line.w) {
        entries.pop_back();
        shortened = true;
    }
    const float middle = line.y + line.h / 2, top = middle - textSize(font, "0").y / 2;
    float x = drawRamp(frame, list, line, ramp);
    for (const Entry& entry : entries) {
        x -= textSize(font, entry.text).x;
        drawText(list, font, {x, top}, frame.ink().soft, entry.text);
        x -= 0.8F * frame.em;
        entry.draw({x, middle});
        x -= 1.2F * frame.em;
    }
    if (shortened) drawText(list, font, {x, top}, frame.ink().soft, kMore, 1);
}

}  // namespace kurve::views
