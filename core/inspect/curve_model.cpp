#include "core/inspect/curve_model.h"

#include <algorithm>
#include <cmath>

#include "core/inspect/detail/curve_model_builder.h"

namespace kurve::inspect {

std::optional<curve::SplineShape> splineOf(const curve::Matrix& psi, double margin) {
    int widest = 0;
    for (int r = 0; r < psi.rows; ++r) {
        int filled = 0;
        for (int c = 0; c < psi.cols; ++c) filled += std::abs(psi.at(r, c)) > 1e-9 ? 1 : 0;
        widest = std::max(widest, filled);
    }
    // A row of degree k has k + 1 entries, or k where every position is on a knot.
    for (const int degree : {widest - 1, widest})
        for (const curve::Knots knots : {curve::Knots::Clamped, curve::Knots::Unclamped}) {
            const curve::SplineShape shape{psi.rows, psi.cols, degree, margin, knots, 0};
            if (!curve::checkShape(shape)) continue;
            const curve::Matrix own = curve::psi(shape);
            double worst = 0;
            for (std::size_t i = 0; i < own.data.size(); ++i)
                worst = std::max(worst, std::abs(own.data[i] - psi.data[i]));
            if (worst < 5e-3) return shape;  // maps may be half floats
        }
    return std::nullopt;
}

Result<std::shared_ptr<const CurveModel>> CurveModel::create(const CurveRequest& request) {
    if (request.trace->steps < 1 || request.trace->positions < 1)
        return requestError("curve.no_latent", "the trace is empty").fix("record it again");
    std::shared_ptr<CurveModel> model(new CurveModel);
    model->trace_ = request.trace;
    CurveModelBuilder builder(*model, request);
    KURVE_CHECKED(builder.readBlocks());
    builder.fitBasis();
    builder.computeSteps();
    builder.finish();
    return std::shared_ptr<const CurveModel>(std::move(model));
}

double CurveModel::explained(int axis) const {
    const auto at = static_cast<std::size_t>(axis);
    return at < basis_.explained.size() ? basis_.explained[at] : 0.0;
}

int CurveModel::nearest(int step, int word) const {
    const CurveStep& at = steps_[index(step)];
    return at.nearest.empty() ? -1 : at.nearest[index(word) * static_cast<std::size_t>(near_)];
}

/// The displayed control points at a step: [M, d].
const float* CurveModel::pointsAt(int step) const {
    const trace::Block* selected = trace_->block(kind_ == CurveKind::WordsOnly ? "latent" : "curve");
    const auto size = static_cast<std::ptrdiff_t>(psi_.cols) * selected->shape[2];
    if (curve_ < 0) return selected->data.data() + step * size;
    return trace_->block("curves")->data.data() +
           (static_cast<std::ptrdiff_t>(step) * curves_ + curve_) * size;
}

std::vector<float> CurveModel::controlData(int step, int control) const {
    const float* from = pointsAt(step) + static_cast<std::ptrdiff_t>(control) * dims();
    return {from, from + dims()};
}

std::vector<float> CurveModel::wordData(int step) const {
    const CurveRowsView controls(pointsAt(step), psi_.cols, dims());
    const CurveRows out = rowsOf(psi_) * controls;
    return {out.data(), out.data() + out.size()};
}

}  // namespace kurve::inspect
