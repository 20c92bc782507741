#include "views/curve/label_placement.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace kurve::views {
namespace {

bool overlap(const Box& a, const Box& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

std::array<Box, 8> positionsOf(const LabelCandidate& request) {
    const auto [w, h] = std::pair{request.size.x, request.size.y};
    const float x = request.anchor.x, y = request.anchor.y, g = request.gap, d = 0.7F * g;
    return {Box{x + g, y - h / 2, w, h},  {x - g - w, y - h / 2, w, h}, {x - w / 2, y - g - h, w, h},
            {x - w / 2, y + g, w, h},     {x + d, y - d - h, w, h},     {x + d, y + d, w, h},
            {x - d - w, y - d - h, w, h}, {x - d - w, y + d, w, h}};
}

}  // namespace

std::vector<std::optional<ImVec2>> placeLabels(const std::vector<LabelCandidate>& requests, const Box& bounds,
                                               std::vector<Box> occupied) {
    std::vector<std::size_t> order(requests.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return requests[a].priority > requests[b].priority;
    });
    std::vector<std::optional<ImVec2>> out(requests.size());
    for (const std::size_t i : order)
        for (const Box& box : positionsOf(requests[i])) {
            const bool inside = box.x >= bounds.x && box.y >= bounds.y && box.right() <= bounds.right() &&
                                box.bottom() <= bounds.bottom();
            if (!inside || std::any_of(occupied.begin(), occupied.end(),
                                       [&](const Box& other) { return overlap(other, box); }))
                continue;
            occupied.push_back(box);
            out[i] = box.min();
            break;
        }
    return out;
}

}  // namespace kurve::views
