#include "core/curve/spline_model.h"

#include <algorithm>

namespace kurve::curve {

namespace {

/// Samples on a common grid that is dense enough for every span; each curve keeps one zero on either side as
/// its foot.
std::vector<BasisCurve> basisOf(const SplineShape& shape) {
    std::vector<BasisCurve> basis(static_cast<std::size_t>(shape.controlPoints));
    const int spans = std::max(1, shape.controlPoints - shape.degree);
    const int points = spans * std::clamp(600 / spans, 6, 60);
    std::vector<double> before(basis.size()), row;
    for (int i = 0; i <= points; ++i, before = row) {
        const double u = static_cast<double>(i) / points;
        row = basisRow(shape, u);
        for (std::size_t j = 0; j < row.size(); ++j) {
            if (row[j] == 0 && before[j] == 0) continue;
            if (basis[j].u.empty() && i > 0) {
                basis[j].u.push_back(static_cast<double>(i - 1) / points);
                basis[j].value.push_back(0);
            }
            basis[j].u.push_back(u);
            basis[j].value.push_back(row[j]);
        }
    }
    return basis;
}

Matrix gramOf(const Matrix& psi) {
    Matrix gram(psi.rows, psi.rows);
    for (int i = 0; i < psi.rows; ++i)
        for (int j = 0; j < psi.rows; ++j)
            for (int k = 0; k < psi.cols; ++k) gram.at(i, j) += psi.at(i, k) * psi.at(j, k);
    return gram;
}

}  // namespace

SplineShape SplineSettings::shape() const {
    ShapeRule rule{rho, kappa, degreeGiven ? degree : 0, margin, adaptiveMargin, knots, ridge};
    if (countGiven) rule.rho = static_cast<double>(controlPoints) / words;
    SplineShape shape = rule.shapeFor(words);
    if (countGiven) shape.controlPoints = controlPoints;
    if (degreeGiven) shape.degree = degree;
    return shape;
}

const std::vector<SplinePreset>& splinePresets() {
    static const std::vector<SplinePreset> presets{
        {"IWSLT En-De, distilled", 3.5, 0.1, 0, 0.01},
        {"IWSLT De-En, distilled", 4.0, 0.01, 5, 0.01},
        {"IWSLT, not distilled", 3.0, 0.01, 0, 0.01},
        {"WMT En-De", 3.5, 0.05, 0, 0.01},
        {"WMT De-En", 3.5, 0.01, 0, 0.01},
        {"LM1B", 1.2, 0.1, 0, 0.01},
        {"Cheap coupling", 1.2, 0.01, 3, 0.01},
        {"Ill-conditioned: one control point per word", 1.0, 0.01, 2, 0.01},
        {"Identity: no curve", 1.0, 0.01, 1, 0.0}};
    return presets;
}

SplinePicture pictureOf(const SplineShape& shape, SplineMap shown) {
    SplinePicture picture{shape, report(shape), psi(shape), wordPositions(shape), basisOf(shape),
                          {},    shown,         {}};
    picture.map = shown == SplineMap::Psi       ? picture.psi
                  : shown == SplineMap::Inverse ? pseudoInverse(shape)
                                                : gramOf(picture.psi);
    for (int j = 0; j < shape.controlPoints; ++j) {
        bool touched = false;
        for (int i = 0; i < shape.words; ++i) touched = touched || picture.psi.at(i, j) > 0;
        picture.basis[static_cast<std::size_t>(j)].dead = !touched;
    }
    for (int i = 0; i < picture.report.rank; ++i) {
        const double s = picture.report.singularValues[static_cast<std::size_t>(i)];
        picture.eigenvalues.push_back(s * s);
    }
    return picture;
}

}  // namespace kurve::curve
