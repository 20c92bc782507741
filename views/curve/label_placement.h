#pragma once

#include <optional>
#include <vector>

#include "views/imgui_host/draw.h"

namespace kurve::views {

/// A label of a point. Pixels.
struct LabelCandidate {
    ImVec2 anchor;
    ImVec2 size;
    float gap = 4;     ///< distance from the point
    int priority = 0;  ///< higher is placed first
};
/// Places labels beside their points (right, left, above, below and the corners between) so that no two
/// overlap, none covers a box of `occupied` and all stay inside; labels without a free position are left out.
/// Higher priority first, then the given order. Returns the top-left corner of each placed label.
[[nodiscard]] std::vector<std::optional<ImVec2>> placeLabels(const std::vector<LabelCandidate>& requests,
                                                             const Box& bounds,
                                                             std::vector<Box> occupied = {});

}  // namespace kurve::views
