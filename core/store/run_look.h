#pragma once

namespace kurve::store {

/// How a run is told from others in every chart, list, figure and report: one of six colours, of four dashes
/// (solid, dashed, dotted, dash-dot) and of six shapes (disc, square, diamond, triangle, cross, plus).
struct RunLook {
    int colour = 0, dash = 0, shape = 0;
    friend bool operator==(const RunLook&, const RunLook&) = default;
};

/// The look at a place in a project's order, from 0. Any 36 places in a row differ in colour or shape, the
/// first 144 in colour, dash or shape.
[[nodiscard]] constexpr RunLook lookAt(int place) {
    const int round = place / 6;
    return {place % 6, (round + round / 12) % 4, (place + round) % 6};
}

}  // namespace kurve::store
