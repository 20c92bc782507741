#pragma once

#include <optional>
#include <vector>

#include "views/imgui_host/draw.h"

namespace kurve::views {

/// A text that wants to stand beside a point. Pixels.
struct LabelWish {
    ImVec2 anchor;
    ImVec2 size;
    float gap = 4;     ///< distance from the point
    int priority = 0;  ///< higher is placed first
};
/// Places labels beside their points (right, left, above, below and the corners between) so that no two
/// overlap, none covers a box of `taken` and all stay inside; what finds no place is left out. Higher
/// priority first, then the given order. Returns the top-left corner of each placed label.
[[nodiscard]] std::vector<std::optional<ImVec2>> placeLabels(const std::vector<LabelWish>& wishes,
                                                             const Box& bounds, std::vector<Box> taken = {});

}  // namespace kurve::views
