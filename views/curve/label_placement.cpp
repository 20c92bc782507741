#include "views/curve/label_placement.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace kurve::views {
namespace {

bool overlap(const Box& a, const Box& b) {
    return a.x < b.right() && b.x < a.right() && a.y < b.bottom() && b.y < a.bottom();
}

std::array<Box, 8> placesOf(const LabelWish& wish) {
    const auto [w, h] = std::pair{wish.size.x, wish.size.y};
    const float x = wish.anchor.x, y = wish.anchor.y, g = wish.gap, d = 0.7F * g;
    return {Box{x + g, y - h / 2, w, h},  {x - g - w, y - h / 2, w, h}, {x - w / 2, y - g - h, w, h},
            {x - w / 2, y + g, w, h},     {x + d, y - d - h, w, h},     {x + d, y + d, w, h},
            {x - d - w, y - d - h, w, h}, {x - d - w, y + d, w, h}};
}

}  // namespace

std::vector<std::optional<ImVec2>> placeLabels(const std::vector<LabelWish>& wishes, const Box& bounds,
                                               std::vector<Box> taken) {
    std::vector<std::size_t> order(wishes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return wishes[a].priority > wishes[b].priority; });
    std::vector<std::optional<ImVec2>> out(wishes.size());
    for (const std::size_t i : order)
        for (const Box& place : placesOf(wishes[i])) {
            const bool inside = place.x >= bounds.x && place.y >= bounds.y &&
                                place.right() <= bounds.right() && place.bottom() <= bounds.bottom();
            if (!inside ||
                std::any_of(taken.begin(), taken.end(), [&](const Box& b) { return overlap(b, place); }))
                continue;
            taken.push_back(place);
            out[i] = place.min();
            break;
        }
    return out;
}

}  // namespace kurve::views
