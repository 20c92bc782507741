#include "core/curve/spline_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kurve::curve {
namespace {

constexpr double kLeastRho = 1, kMostRho = 4;
constexpr int kRhoSteps = 24, kMostDegree = 12;

}  // namespace

RatioSweep ratioSweep(const SplineShape& shape, bool overDegree) {
    RatioSweep sweep;
    sweep.overDegree = overDegree;
    sweep.chosen = overDegree ? shape.degree : static_cast<double>(shape.controlPoints) / shape.words;
    const int steps = overDegree ? kMostDegree : kRhoSteps + 1;
    for (int i = 0; i < steps; ++i) {
        SplineShape one = shape;
        if (overDegree)
            one.degree = i + 1;
        else
            one.controlPoints = static_cast<int>(
                std::lround(shape.words * (kLeastRho + (kMostRho - kLeastRho) * i / kRhoSteps)));
        if (!checkShape(one)) continue;
        const ErrorRatios ratios = errorRatios(one);
        sweep.at.push_back(overDegree ? one.degree : static_cast<double>(one.controlPoints) / one.words);
        sweep.rl.push_back(ratios.R_L);
        sweep.rm.push_back(ratios.R_M);
        sweep.r1.push_back(ratios.R_1);
    }
    return sweep;
}

GridRow gridRow(const SplineShape& like, int rule, const CancelToken& cancel) {
    GridRow row{like.words, rule, {}};
    const DegreeRule& by = gridRules()[static_cast<std::size_t>(rule)];
    for (const double rho : gridRhos()) {
        if (cancel.requested()) return row;
        row.cells.push_back(gridCell(like, by, rho));
    }
    return row;
}

std::vector<std::pair<std::string, std::string>> mapFields(const SplineSettings& s) {
    const double rho = s.countGiven ? static_cast<double>(s.controlPoints) / s.words : s.rho;
    return {{"map.kind", "spline"},
            {"map.rho", fmt::format("{}", rho)},
            {"map.degree", fmt::format("{}", s.degreeGiven ? s.degree : 0)},
            {"map.kappa", fmt::format("{}", s.kappa)},
            {"map.margin", fmt::format("{}", s.margin)},
            {"map.adaptive_margin", s.adaptiveMargin ? "true" : "false"},
            {"map.knots", s.knots == Knots::Clamped ? "clamped" : "unclamped"},
            {"map.ridge", fmt::format("{}", s.ridge)}};
}

}  // namespace kurve::curve
