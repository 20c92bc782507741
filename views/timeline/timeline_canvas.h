#pragma once

#include <vector>

#include "views/timeline/flow_layout.h"
#include "views/timeline/timeline_frame.h"

namespace kurve::views {

/// The tokens of one step, read as text. The layout is the same for all steps (the width of a position fits
/// most of its tokens). Underline: the measure as thickness and lightness. A changed token is tinted, with
/// the old one struck out above it. As a grid all positions have one width and their numbers.
class TimelineCanvas {
public:
    /// Height the text needs at this width.
    float prepare(const TimelineFrame& frame, float width);
    void draw(const TimelineFrame& frame, const Box& area, TimelineIntent& intent);
    void forget() { model_ = nullptr; }

private:
    void scroll(const TimelineFrame& frame, const Box& area);
    void drawChip(const TimelineFrame& frame, ImDrawList& list, int position, const Box& box) const;
    void drawDeclared(const TimelineFrame& frame, ImDrawList& list, int position, const Box& chip) const;
    void drawPreview(const TimelineFrame& frame, ImDrawList& list, const QString& token,
                     const Box& box) const;
    void drawOld(const TimelineFrame& frame, ImDrawList& list, int position, const Box& box) const;

    const inspect::TimelineModel* model_ = nullptr;
    float width_ = 0, em_ = 0, scroll_ = 0;
    bool grid_ = false;
    int followed_ = -1;           ///< the position that was last scrolled into view
    std::vector<int> positions_;  ///< the positions shown, in order: padding left out
    FlowLayout layout_;
};

}  // namespace kurve::views
