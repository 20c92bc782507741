// Statistics per step: length, curvature, rounding error, agreement with the targets.
#include <algorithm>
#include <cmath>

#include "core/inspect/detail/curve_model_builder.h"

namespace kurve::inspect {
namespace {

float pathLength(const CurveRows& points) {
    float sum = 0;
    for (Eigen::Index i = 1; i < points.rows(); ++i) sum += (points.row(i) - points.row(i - 1)).norm();
    return sum;
}

/// Sum of the angles between consecutive tangents; zero tangents are skipped.
float totalTurning(const CurveRows& directions) {
    double sum = 0;
    Eigen::RowVectorXd former;
    for (Eigen::Index i = 0; i < directions.rows(); ++i) {
        const Eigen::RowVectorXd next = directions.row(i).cast<double>().normalized();
        if (next.isZero()) continue;
        if (former.size() > 0) sum += std::acos(std::clamp(former.dot(next), -1.0, 1.0));
        former = next;
    }
    return static_cast<float>(sum);
}

}  // namespace

void CurveModelBuilder::computeStatistics(const CurveRows& controls) {
    float ratio = kNoValue, turning = kNoValue;
    if (m_.kind_ == CurveKind::Spline && controls.allFinite()) {
        ratio = pathLength(controls) / std::max(pathLength(curvePoints_ * controls), 1e-9F);
        turning = totalTurning(tangents_ * controls);
    }
    m_.statistics_.lengthRatio.push_back(ratio);
    m_.statistics_.turning.push_back(turning);
}

float CurveModelBuilder::movementTo(int step) const {
    if (step == 0) return kNoValue;
    const CurveRows moved = rows(step) - rows(step - 1);
    float sum = 0, count = 0;
    for (int i = 0; i < moved.rows(); ++i) {
        if (m_.kind_ == CurveKind::WordsOnly && isPadding(step, i)) continue;
        sum += moved.row(i).squaredNorm();
        count += 1;
    }
    return std::sqrt(sum / count);
}

void CurveModelBuilder::findNearest(int step, const CurveRows& words, CurveStep& out) {
    CurveStatistics& n = m_.statistics_;
    if (m_.vocabulary_ == nullptr || !words.allFinite()) {
        for (auto* values : {&n.residual, &n.nearestShown, &n.nearestTarget}) values->push_back(kNoValue);
        return;
    }
    const std::vector<float> points(words.data(), words.data() + words.size());
    const std::vector<curve::Nearest> found = m_.vocabulary_->table().nearest(points, m_.near_);
    float residual = 0, shown = 0, target = 0, count = 0;
    for (const curve::Nearest& one : found) out.nearest.push_back(one.row);
    for (int w = 0; w < t_.positions; ++w) {
        const curve::Nearest& best = found[static_cast<std::size_t>(w) * static_cast<std::size_t>(m_.near_)];
        const std::uint32_t id = m_.vocabulary_->id(best.row);
        out.residuals.push_back(best.distance);
        if (isPadding(step, w)) continue;
        count += 1;
        residual += best.distance;
        shown += id == t_.tokenAt(step, w) ? 1.0F : 0.0F;
        target += targetIds_[static_cast<std::size_t>(w)] == id ? 1.0F : 0.0F;
    }
    n.residual.push_back(residual / count);
    n.nearestShown.push_back(shown / count);
    n.nearestTarget.push_back(target / count);
}

}  // namespace kurve::inspect
