#pragma once

namespace kurve::store {

/// The style of a run in every chart, list, figure and report: one of six colours, of four dashes (solid,
/// dashed, dotted, dash-dot) and of six markers (disc, square, diamond, triangle, cross, plus).
struct RunStyle {
    int colour = 0, dash = 0, marker = 0;
    friend bool operator==(const RunStyle&, const RunStyle&) = default;
};

/// The style at a position in a project's order, from 0. Any 36 positions in a row differ in colour or
/// marker, the first 144 in colour, dash or marker.
[[nodiscard]] constexpr RunStyle styleAt(int position) {
    const int round = position / 6;
    return {position % 6, (round + round / 12) % 4, (position + round) % 6};
}

}  // namespace kurve::store
