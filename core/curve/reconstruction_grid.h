#pragma once

#include <string>
#include <vector>

#include "core/curve/spline.h"

namespace kurve::curve {

/// How a row of the reconstruction grid finds its degree (SCLM, App. B.2: a number, or a fraction of M).
struct DegreeRule {
    std::string name;
    int degree = 0;       ///< 0 = by fraction
    double fraction = 0;  ///< kappa
};
/// Rows and columns (control points per word) of the paper's Figure 8.
[[nodiscard]] const std::vector<DegreeRule>& gridRules();
[[nodiscard]] const std::vector<double>& gridRhos();
/// Its cell for sentences, margin and knots of `like`: E[MSE] = 1 - rank/L. Up to seconds for long sentences.
[[nodiscard]] ReconstructionCell gridCell(const SplineShape& like, const DegreeRule& rule, double rho);

}  // namespace kurve::curve
