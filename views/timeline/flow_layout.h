#pragma once

#include <vector>

#include "views/imgui_host/draw.h"

namespace kurve::views {

/// Sets chips of fixed widths in lines like text: tokens of one word touch, a word never breaks unless it is
/// wider than the line. Pure geometry in pixels.
struct FlowItem {
    float width = 0;
    bool wordStart = true;  ///< may begin a line; a space is before it
};
struct FlowStyle {
    float lineWidth = 0, lineHeight = 0;
    float wordGap = 0;  ///< before a word
    float joint = 0;    ///< between the tokens of a word
};
struct FlowLayout {
    std::vector<Box> boxes;  ///< one per item, from (0, 0)
    float height = 0;
};
[[nodiscard]] FlowLayout layoutFlow(const std::vector<FlowItem>& items, const FlowStyle& style);

}  // namespace kurve::views
