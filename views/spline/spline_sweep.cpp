#include "views/spline/spline_sweep.h"

#include <fmt/format.h>

#include <algorithm>

namespace kurve::views {
namespace {

constexpr double kLeastRho = 1, kMostRho = 4;
constexpr int kRhoSteps = 24, kMostDegree = 12;

}  // namespace

RatioSweep ratioSweep(const curve::SplineShape& shape, bool overDegree) {
    RatioSweep sweep;
    sweep.overDegree = overDegree;
    sweep.chosen = overDegree ? shape.degree : static_cast<double>(shape.controlPoints) / shape.words;
    const int steps = overDegree ? kMostDegree : kRhoSteps + 1;
    for (int i = 0; i < steps; ++i) {
        curve::SplineShape one = shape;
        if (overDegree)
            one.degree = i + 1;
        else
            one.controlPoints =
                static_cast<int>(shape.words * (kLeastRho + (kMostRho - kLeastRho) * i / kRhoSteps) + 0.5);
        if (!curve::checkShape(one)) continue;
        const curve::ErrorRatios ratios = curve::errorRatios(one);
        sweep.at.push_back(overDegree ? one.degree : static_cast<double>(one.controlPoints) / one.words);
        sweep.rl.push_back(ratios.R_L);
        sweep.rm.push_back(ratios.R_M);
        sweep.r1.push_back(ratios.R_1);
    }
    return sweep;
}

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

GridRow gridRow(const curve::SplineShape& like, int rule,
                const std::shared_ptr<const std::atomic<bool>>& cancelled) {
    GridRow row{like.words, rule, {}};
    const DegreeRule& by = gridRules()[static_cast<std::size_t>(rule)];
    for (const double rho : gridRhos()) {
        if (cancelled->load()) return row;
        const curve::ShapeRule shapes{rho, by.fraction, by.degree, like.margin, false, like.knots, 0};
        row.cells.push_back(curve::reconstruction(shapes.shapeFor(like.words)));
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
            {"map.knots", s.knots == curve::Knots::Clamped ? "clamped" : "unclamped"},
            {"map.ridge", fmt::format("{}", s.ridge)}};
}

}  // namespace kurve::views
