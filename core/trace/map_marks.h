#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/trace/marks.h"

namespace kurve::trace {

/// A shape of a mark, about the middle of its cell in half sizes of the mark, y down: a circle, a line of two
/// points, or an outline.
struct MarkShape {
    double radius = 0;                                   ///< > 0: a circle
    std::vector<std::pair<double, double>> points = {};  ///< else
    bool filled = true;
};

/// The marks of a denoising map (positions down, steps across), for all that draw one: the window, SVG and
/// pages. None for kept tokens and padding.
[[nodiscard]] const std::vector<MarkShape>& markShapes(TokenState state);
/// The shapes as SVG path data that begins and ends in the middle, for marks of 2 * `half`.
[[nodiscard]] std::string markPath(TokenState state, double half);

/// Whether a cell has the mark of its state. The first estimates of a model that estimates all positions have
/// none: they would fill the first column.
[[nodiscard]] bool isMarked(const Trace& trace, int step, int position);

/// Consecutive positions whose block was finished by a step.
struct FinishedBlock {
    int step = 0, from = 0, count = 0;
    friend bool operator==(const FinishedBlock&, const FinishedBlock&) = default;
};
/// In the order step, position.
[[nodiscard]] std::vector<FinishedBlock> finishedBlocks(const Trace& trace, const TokenMarks& marks);

}  // namespace kurve::trace
