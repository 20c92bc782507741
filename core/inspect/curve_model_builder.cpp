#include "core/inspect/detail/curve_model_builder.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace kurve::inspect {
namespace {

/// Basis values at `samples` equidistant points of [0, 1]: [samples, M].
curve::Matrix sampleBasis(const curve::SplineShape& shape, int samples) {
    curve::Matrix out(samples, shape.controlPoints);
    for (int i = 0; i < samples; ++i) {
        const std::vector<double> row = curve::basisRow(shape, static_cast<double>(i) / (samples - 1));
        std::copy(row.begin(), row.end(),
                  out.data.begin() + static_cast<std::ptrdiff_t>(i) * shape.controlPoints);
    }
    return out;
}

/// Points or tangents of a curve at every knot and between. The drawn samples are too few for a long curve:
/// it turns most between them, near control points.
Eigen::SparseMatrix<float, Eigen::RowMajor> rowsOfSpans(
    const curve::SplineShape& shape, std::vector<double> (*rowAt)(const curve::SplineShape&, double)) {
    const int spans = std::max(shape.controlPoints - shape.degree, 1);
    const int last = spans * std::max(16, CurveModel::kCurveSamples / spans);
    std::vector<Eigen::Triplet<float>> weights;
    for (int i = 0; i <= last; ++i) {
        const std::vector<double> row = rowAt(shape, static_cast<double>(i) / last);
        for (int j = 0; j < shape.controlPoints; ++j)
            if (const double w = row[static_cast<std::size_t>(j)]; w != 0)
                weights.emplace_back(i, j, static_cast<float>(w));
    }
    Eigen::SparseMatrix<float, Eigen::RowMajor> out(last + 1, shape.controlPoints);
    out.setFromTriplets(weights.begin(), weights.end());
    return out;
}

bool hasShape(const trace::Block* block, const std::vector<std::int64_t>& shape) {
    if (block == nullptr || block->shape.size() != shape.size()) return false;
    std::int64_t count = 1;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        if (shape[i] >= 0 && block->shape[i] != shape[i]) return false;
        count *= block->shape[i];
    }
    return count > 0 && static_cast<std::int64_t>(block->data.size()) == count;
}

}  // namespace

CurveRows rowsOf(const curve::Matrix& m) {
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
               m.data.data(), m.rows, m.cols)
        .cast<float>();
}

CurveRowsView CurveModelBuilder::rows(int step) const {
    return {m_.pointsAt(step), points_->shape[1], points_->shape[2]};
}

void CurveModelBuilder::readCurves() {
    if (m_.kind_ != CurveKind::Spline) return;
    const trace::Block *curves = t_.block("curves"), *weights = t_.block("curve_weights");
    if (!hasShape(curves, {t_.steps, -1, points_->shape[1], points_->shape[2]}) ||
        !hasShape(weights, {t_.steps, curves->shape[1]}))
        return;
    m_.curves_ = static_cast<int>(curves->shape[1]);
    m_.curve_ = request_.curve < m_.curves_ ? request_.curve : -1;
}

void CurveModelBuilder::addCurves(int step, CurveStep& out) const {
    if (m_.curves_ < 2) return;
    const auto n = static_cast<std::ptrdiff_t>(m_.curves_), m = static_cast<std::ptrdiff_t>(psi_.cols()),
               d = static_cast<std::ptrdiff_t>(points_->shape[2]);
    for (std::ptrdiff_t i = 0; i < n; ++i) {
        const CurveRowsView controls(t_.block("curves")->data.data() + (step * n + i) * m * d, m, d);
        out.curves.push_back(project(samples_ * controls));
        out.weights.push_back(t_.block("curve_weights")->data[static_cast<std::size_t>(step * n + i)]);
    }
}

Status CurveModelBuilder::readMap(const trace::Block& curve) {
    const trace::Block* psi = t_.block("psi");
    if (!hasShape(&curve, {t_.steps, -1, -1}) || !hasShape(psi, {t_.positions, curve.shape[1]}))
        return requestError("curve.shape", "the trace's control points do not fit its map")
            .fix("record the trace again");
    points_ = &curve;
    m_.psi_ = curve::Matrix(t_.positions, static_cast<int>(curve.shape[1]));
    std::copy(psi->data.begin(), psi->data.end(), m_.psi_.data.begin());
    if (const auto* index = t_.block("index"); hasShape(index, {t_.positions})) m_.positions_ = index->data;
    if (const auto* greville = t_.block("greville"); hasShape(greville, {m_.psi_.cols}))
        m_.greville_ = greville->data;
    const double margin =
        m_.positions_.empty() || t_.positions < 2 ? 0.01 : static_cast<double>(m_.positions_.front());
    const auto shape = splineOf(m_.psi_, margin);
    m_.kind_ = shape ? CurveKind::Spline : CurveKind::Other;
    if (shape) m_.shape_ = *shape;
    return {};
}

void CurveModelBuilder::readVocabulary() {
    const auto dims = static_cast<int>(points_->shape[2]);
    m_.vocabulary_ = request_.vocabulary ? request_.vocabulary : trace::Vocabulary::recorded(t_);
    if (m_.vocabulary_ != nullptr && m_.vocabulary_->table().dims() != dims) m_.vocabulary_ = nullptr;
    m_.near_ = m_.vocabulary_ ? std::min(CurveModel::kNear, m_.vocabulary_->size()) : 0;
    const trace::Block* reference = t_.block("reference/ids");
    m_.referenceKnown_ = hasShape(reference, {-1});
    for (int word = 0; word < t_.positions; ++word) {
        std::optional<std::uint32_t> id = t_.tokenAt(t_.steps - 1, word);
        const auto at = static_cast<std::size_t>(word);
        if (m_.referenceKnown_)
            id = at < reference->data.size() ? std::optional(static_cast<std::uint32_t>(reference->data[at]))
                                             : std::nullopt;
        targetIds_.push_back(id);
        m_.targets_.push_back(m_.vocabulary_ && id ? m_.vocabulary_->rowOf(*id) : -1);
    }
}

Status CurveModelBuilder::readBlocks() {
    if (const trace::Block* curve = t_.block("curve")) {
        KURVE_CHECKED(readMap(*curve));
    } else if (const trace::Block* latent = t_.block("latent");
               hasShape(latent, {t_.steps, t_.positions, -1})) {
        points_ = latent;
        m_.kind_ = CurveKind::WordsOnly;
        m_.psi_ = curve::Matrix(t_.positions, t_.positions);
        for (int i = 0; i < t_.positions; ++i) m_.psi_.at(i, i) = 1;
    } else {
        return requestError("curve.no_latent", "the trace has tokens only, no latents")
            .fix("record it again with Run in the prompt bar");
    }
    const auto even = [](int i, int n) {
        return n < 2 ? 0.5F : static_cast<float>(i) / static_cast<float>(n - 1);
    };
    for (int i = static_cast<int>(m_.positions_.size()); i < t_.positions; ++i)
        m_.positions_.push_back(even(i, t_.positions));
    for (int j = static_cast<int>(m_.greville_.size()); j < m_.psi_.cols; ++j)
        m_.greville_.push_back(even(j, m_.psi_.cols));
    readVocabulary();
    readCurves();
    return {};
}

CurveRows CurveModelBuilder::wordsAt(int step) const {
    if (m_.kind_ == CurveKind::WordsOnly) return rows(step);
    return psi_ * rows(step);
}

void CurveModelBuilder::fitBasis() {
    psi_ = rowsOf(m_.psi_);
    if (m_.kind_ == CurveKind::Spline) {
        m_.samples_ = sampleBasis(m_.shape_, CurveModel::kCurveSamples);
        samples_ = rowsOf(m_.samples_);
        curvePoints_ = rowsOfSpans(m_.shape_, curve::basisRow);
        tangents_ = rowsOfSpans(m_.shape_, curve::tangentRow);
    }
    if (request_.basis && request_.basis->dims == points_->shape[2]) {
        m_.basis_ = *request_.basis;
    } else {
        const BasisKind kind = basisKind();
        m_.basis_ = {fitted(kind), kind, axisNames(kind)};
    }
    const int dims = m_.basis_.dims;
    axes_ = CurveRows::Zero(dims, 3);
    mean_ = Eigen::RowVectorXf::Zero(dims);
    for (int i = 0; i < dims; ++i) {
        const auto at = static_cast<std::size_t>(i);
        mean_(i) = static_cast<float>(m_.basis_.mean[at]);
        for (std::size_t a = 0; a < m_.basis_.axes.size(); ++a)
            axes_(i, static_cast<Eigen::Index>(a)) = static_cast<float>(m_.basis_.axes[a][at]);
    }
    if (m_.vocabulary_ == nullptr) return;
    const curve::EmbeddingTable& table = m_.vocabulary_->table();
    m_.tokens_ = project(CurveRowsView(table.rows().data(), table.size(), table.dims()));
}

SpacePoints CurveModelBuilder::project(const CurveRows& points) const {
    const CurveRows flat = (points.rowwise() - mean_) * axes_;
    SpacePoints out(static_cast<std::size_t>(flat.rows()));
    for (Eigen::Index i = 0; i < flat.rows(); ++i)
        out[static_cast<std::size_t>(i)] = {flat(i, 0), flat(i, 1), flat(i, 2)};
    return out;
}

void CurveModelBuilder::computeStep(int step, const CurveRows& controls, const CurveRows& words) {
    CurveStep out;
    out.controls = project(controls);
    out.words = project(words);
    if (m_.kind_ == CurveKind::Spline) {
        out.curve = project(samples_ * controls);
    } else {
        for (int word = 0; word < t_.positions; ++word)
            if (m_.isWritten(step, word)) out.curve.push_back(out.words[static_cast<std::size_t>(word)]);
    }
    computeStatistics(controls);
    findNearest(step, words, out);
    addCurves(step, out);
    m_.steps_.push_back(std::move(out));
}

void CurveModelBuilder::computeSteps() {
    for (int step = 0; step < t_.steps; ++step) {
        const CurveRowsView controls = rows(step);
        computeStep(step, controls, wordsAt(step));
        m_.statistics_.movement.push_back(movementTo(step));
    }
}

void CurveModelBuilder::computeBounds() {
    constexpr float kFar = std::numeric_limits<float>::max();
    m_.low_ = {kFar, kFar, kFar};
    m_.high_ = {-kFar, -kFar, -kFar};
    const auto cover = [this](const SpacePoint& p) {
        if (!std::isfinite(p.x + p.y + p.z)) return;
        m_.low_ = {std::min(m_.low_.x, p.x), std::min(m_.low_.y, p.y), std::min(m_.low_.z, p.z)};
        m_.high_ = {std::max(m_.high_.x, p.x), std::max(m_.high_.y, p.y), std::max(m_.high_.z, p.z)};
    };
    for (const CurveStep& step : m_.steps_) {
        std::for_each(step.controls.begin(), step.controls.end(), cover);
        std::for_each(step.words.begin(), step.words.end(), cover);
    }
    for (const int row : m_.targets_)
        if (row >= 0) cover(m_.tokens_[static_cast<std::size_t>(row)]);
    if (m_.low_.x > m_.high_.x) m_.low_ = m_.high_ = {};  // no finite point
}

void CurveModelBuilder::sampleFunctions() {
    m_.functions_.resize(static_cast<std::size_t>(m_.psi_.cols));
    if (m_.kind_ != CurveKind::Spline) return;
    const int count = std::clamp(8 * m_.psi_.cols, 257, 2049);
    const curve::Matrix basis = sampleBasis(m_.shape_, count);
    for (int j = 0; j < m_.psi_.cols; ++j)
        for (int i = 0; i < count; ++i) {
            const bool inside = basis.at(i, j) > 0 || (i > 0 && basis.at(i - 1, j) > 0) ||
                                (i + 1 < count && basis.at(i + 1, j) > 0);
            if (inside)
                m_.functions_[static_cast<std::size_t>(j)].push_back(
                    {static_cast<float>(i) / static_cast<float>(count - 1),
                     static_cast<float>(basis.at(i, j))});
        }
}

void CurveModelBuilder::describe() {
    switch (m_.kind_) {
        case CurveKind::Spline:
            m_.description_ = fmt::format("{} tokens on a B-spline of degree {} with {} control points",
                                          t_.positions, m_.shape_.degree, m_.psi_.cols);
            break;
        case CurveKind::Other:
            m_.description_ = fmt::format(
                "{} tokens from {} points by a map that is not a spline: joined by straight lines",
                t_.positions, m_.psi_.cols);
            break;
        case CurveKind::WordsOnly: {
            int written = 0;  // a text that is written in order may end before the last position
            for (int word = 0; word < t_.positions; ++word)
                written += m_.isWritten(t_.steps - 1, word) ? 1 : 0;
            m_.description_ = fmt::format("no curve: {} latents joined by straight lines", written);
            break;
        }
    }
}

void CurveModelBuilder::finish() {
    computeBounds();
    sampleFunctions();
    describe();
}

}  // namespace kurve::inspect
