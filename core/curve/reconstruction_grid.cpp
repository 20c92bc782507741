#include "core/curve/reconstruction_grid.h"

namespace kurve::curve {

const std::vector<DegreeRule>& gridRules() {
    static const std::vector<DegreeRule> rules{{"2", 2, 0},      {"3", 3, 0},        {"5", 5, 0},
                                               {"10", 10, 0},    {".05 M", 0, 0.05}, {".1 M", 0, 0.1},
                                               {".2 M", 0, 0.2}, {".3 M", 0, 0.3},   {".5 M", 0, 0.5}};
    return rules;
}

const std::vector<double>& gridRhos() {
    static const std::vector<double> rhos{0.5, 0.8, 1.0, 1.2, 1.5, 2.0, 2.5, 3.0};
    return rhos;
}

ReconstructionCell gridCell(const SplineShape& like, const DegreeRule& rule, double rho) {
    const ShapeRule shapes{rho, rule.fraction, rule.degree, like.margin, false, like.knots, 0};
    return reconstruction(shapes.shapeFor(like.words));
}

}  // namespace kurve::curve
