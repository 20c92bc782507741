#pragma once

#include <string>
#include <vector>

#include "core/base/cancel_token.h"
#include "core/curve/reconstruction_grid.h"
#include "core/curve/spline_model.h"

namespace kurve::curve {

/// R_L, R_M and R_1 of shapes that differ in one number.
struct RatioSweep {
    bool overDegree = false;  ///< at is the degree k, else rho = M / L
    std::vector<double> at, rl, rm, r1;
    double chosen = 0;  ///< where the shape in force stands
};
/// Around a shape, all else equal: rho from 1 to 4, or degrees 1 to 12 (fewer where M is small). For a
/// worker.
[[nodiscard]] RatioSweep ratioSweep(const SplineShape& shape, bool overDegree);

/// One row of the paper's Figure 8 for a sentence of L words: E[MSE] = 1 - rank/L by rho.
struct GridRow {
    int words = 0, rule = 0;
    std::vector<ReconstructionCell> cells;
};
/// Seconds for long sentences (a decomposition per cell); stops between cells when cancelled. For a worker.
[[nodiscard]] GridRow gridRow(const SplineShape& like, int rule, const CancelToken& cancel);

/// The experiment's map.* fields that give this shape for every sentence, as texts by key.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> mapFields(const SplineSettings& settings);

}  // namespace kurve::curve
