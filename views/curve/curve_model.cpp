#include "views/curve/curve_model.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

namespace kurve::views {
namespace {

using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using View = Eigen::Map<const Matrix>;

constexpr float kNone = std::numeric_limits<float>::quiet_NaN();

Matrix toFloat(const curve::Matrix& m) {
    return Eigen::Map<const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(
               m.data.data(), m.rows, m.cols)
        .cast<float>();
}

float pathLength(const Matrix& points) {
    float sum = 0;
    for (Eigen::Index i = 1; i < points.rows(); ++i) sum += (points.row(i) - points.row(i - 1)).norm();
    return sum;
}

/// Basis values at `samples` even places of [0, 1]: [samples, M].
curve::Matrix sampleBasis(const curve::SplineShape& shape, int samples) {
    curve::Matrix out(samples, shape.controlPoints);
    for (int i = 0; i < samples; ++i) {
        const std::vector<double> row = curve::basisRow(shape, static_cast<double>(i) / (samples - 1));
        std::copy(row.begin(), row.end(),
                  out.data.begin() + static_cast<std::ptrdiff_t>(i) * shape.controlPoints);
    }
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

std::optional<curve::SplineShape> splineOf(const curve::Matrix& psi, double margin) {
    int widest = 0;
    for (int r = 0; r < psi.rows; ++r) {
        int filled = 0;
        for (int c = 0; c < psi.cols; ++c) filled += std::abs(psi.at(r, c)) > 1e-9 ? 1 : 0;
        widest = std::max(widest, filled);
    }
    // A row of degree k has k + 1 entries, or k where every word happens to stand on a knot.
    for (const int degree : {widest - 1, widest})
        for (const curve::Knots knots : {curve::Knots::Clamped, curve::Knots::Unclamped}) {
            const curve::SplineShape shape{psi.rows, psi.cols, degree, margin, knots, 0};
            if (!curve::checkShape(shape)) continue;
            const curve::Matrix own = curve::psi(shape);
            double worst = 0;
            for (std::size_t i = 0; i < own.data.size(); ++i)
                worst = std::max(worst, std::abs(own.data[i] - psi.data[i]));
            if (worst < 5e-3) return shape;  // maps may have been stored as half floats
        }
    return std::nullopt;
}

/// Fills a CurveModel step by step; lives only inside create().
class CurveModelBuilder {
public:
    explicit CurveModelBuilder(CurveModel& model) : m_(model), t_(*model.trace_) {}

    Status readBlocks();
    void fitBasis();
    void walkSteps();
    void finish();

private:
    Status readMap(const trace::Block& curve);
    void readVocabulary();
    void walkStep(int step, const Matrix& controls, const Matrix& words);
    void findNearest(int step, const Matrix& words);
    [[nodiscard]] PlanePoints project(const Matrix& points) const;
    [[nodiscard]] Matrix wordsAt(int step) const;
    [[nodiscard]] View rows(const trace::Block& block, int step) const;

    CurveModel& m_;
    const trace::Trace& t_;
    const trace::Block* points_ = nullptr;  ///< control points, or the words' own latents
    const trace::Block* table_ = nullptr;
    Matrix psi_, samples_, axes_;  ///< axes_: [d, 2]
    Eigen::RowVectorXf mean_, tableNorms_;
};

View CurveModelBuilder::rows(const trace::Block& block, int step) const {
    const auto n = block.shape[1], d = block.shape[2];
    return {block.data.data() + static_cast<std::ptrdiff_t>(step) * n * d, n, d};
}

Status CurveModelBuilder::readMap(const trace::Block& curve) {
    const trace::Block* psi = t_.block("psi");
    if (!hasShape(&curve, {t_.steps, -1, -1}) || !hasShape(psi, {t_.slots, curve.shape[1]}))
        return requestError("curve.shape", "the trace's control points and its map do not fit each other")
            .fix("record the trace again");
    points_ = &curve;
    m_.psi_ = curve::Matrix(t_.slots, static_cast<int>(curve.shape[1]));
    std::copy(psi->data.begin(), psi->data.end(), m_.psi_.data.begin());
    if (const auto* index = t_.block("index"); hasShape(index, {t_.slots})) m_.positions_ = index->data;
    if (const auto* greville = t_.block("greville"); hasShape(greville, {m_.psi_.cols}))
        m_.greville_ = greville->data;
    const double margin =
        m_.positions_.empty() || t_.slots < 2 ? 0.01 : static_cast<double>(m_.positions_.front());
    const auto shape = splineOf(m_.psi_, margin);
    m_.kind_ = shape ? CurveKind::Spline : CurveKind::Other;
    if (shape) m_.shape_ = *shape;
    return {};
}

void CurveModelBuilder::readVocabulary() {
    const trace::Block* table = t_.block("vocab/latent");
    if (table == nullptr || !hasShape(table, {-1, points_->shape[2]})) return;
    const trace::Block* ids = t_.block("vocab/ids");
    if (!hasShape(ids, {table->shape[0]})) return;
    table_ = table;
    for (const float id : ids->data) m_.ids_.push_back(static_cast<std::uint32_t>(std::lround(id)));
}

Status CurveModelBuilder::readBlocks() {
    if (const trace::Block* curve = t_.block("curve")) {
        KURVE_CHECKED(readMap(*curve));
    } else if (const trace::Block* latent = t_.block("latent"); hasShape(latent, {t_.steps, t_.slots, -1})) {
        points_ = latent;
        m_.kind_ = CurveKind::WordsOnly;
        m_.psi_ = curve::Matrix(t_.slots, t_.slots);
        for (int i = 0; i < t_.slots; ++i) m_.psi_.at(i, i) = 1;
    } else {
        return requestError("curve.no_latent",
                            "this recording holds the tokens only, not the points behind them")
            .fix("record it again: Run in the prompt bar keeps them");
    }
    const auto even = [](int i, int n) {
        return n < 2 ? 0.5F : static_cast<float>(i) / static_cast<float>(n - 1);
    };
    for (int i = static_cast<int>(m_.positions_.size()); i < t_.slots; ++i)
        m_.positions_.push_back(even(i, t_.slots));
    for (int j = static_cast<int>(m_.greville_.size()); j < m_.psi_.cols; ++j)
        m_.greville_.push_back(even(j, m_.psi_.cols));
    readVocabulary();
    return {};
}

Matrix CurveModelBuilder::wordsAt(int step) const {
    if (m_.kind_ == CurveKind::WordsOnly) return rows(*points_, step);
    return psi_ * rows(*points_, step);
}

void CurveModelBuilder::fitBasis() {
    psi_ = toFloat(m_.psi_);
    if (m_.kind_ == CurveKind::Spline) samples_ = toFloat(sampleBasis(m_.shape_, CurveModel::kCurveSamples));
    const Matrix final = wordsAt(t_.steps - 1);
    std::vector<float> reference(final.data(), final.data() + final.size());
    if (table_ != nullptr) reference.insert(reference.end(), table_->data.begin(), table_->data.end());
    const auto dims = static_cast<int>(points_->shape[2]);
    m_.basis_ = curve::fitPca(reference, dims, 2);
    axes_ = Matrix::Zero(dims, 2);
    mean_ = Eigen::RowVectorXf::Zero(dims);
    for (int i = 0; i < dims; ++i) {
        const auto at = static_cast<std::size_t>(i);
        mean_(i) = static_cast<float>(m_.basis_.mean[at]);
        for (std::size_t a = 0; a < m_.basis_.axes.size() && a < 2; ++a)
            axes_(i, static_cast<Eigen::Index>(a)) = static_cast<float>(m_.basis_.axes[a][at]);
    }
    if (table_ == nullptr) return;
    const View table(table_->data.data(), table_->shape[0], table_->shape[1]);
    tableNorms_ = table.rowwise().squaredNorm().transpose();
    m_.vocabulary_ = project(table);
}

PlanePoints CurveModelBuilder::project(const Matrix& points) const {
    const Matrix flat = (points.rowwise() - mean_) * axes_;
    PlanePoints out(static_cast<std::size_t>(flat.rows()));
    for (Eigen::Index i = 0; i < flat.rows(); ++i)
        out[static_cast<std::size_t>(i)] = {flat(i, 0), flat(i, 1)};
    return out;
}

void CurveModelBuilder::findNearest(int step, const Matrix& words) {
    if (table_ == nullptr) {
        m_.numbers_.residual.push_back(kNone);
        m_.numbers_.nearestShown.push_back(kNone);
        m_.numbers_.nearestFinal.push_back(kNone);
        return;
    }
    const View table(table_->data.data(), table_->shape[0], table_->shape[1]);
    // |x - e|^2 = |x|^2 - 2 x.e + |e|^2, one product for all words.
    const Matrix distances = (-2 * (words * table.transpose())).rowwise() + tableNorms_;
    float residual = 0, shown = 0, final = 0;
    for (Eigen::Index w = 0; w < words.rows(); ++w) {
        Eigen::Index best = 0;
        const float least = distances.row(w).minCoeff(&best) + words.row(w).squaredNorm();
        m_.nearest_.push_back(static_cast<int>(best));
        const std::uint32_t id = m_.ids_[static_cast<std::size_t>(best)];
        residual += std::sqrt(std::max(0.0F, least));
        shown += id == t_.tokens[t_.cell(step, static_cast<int>(w))] ? 1.0F : 0.0F;
        final += id == t_.tokens[t_.cell(t_.steps - 1, static_cast<int>(w))] ? 1.0F : 0.0F;
    }
    const auto count = static_cast<float>(words.rows());
    m_.numbers_.residual.push_back(residual / count);
    m_.numbers_.nearestShown.push_back(shown / count);
    m_.numbers_.nearestFinal.push_back(final / count);
}

void CurveModelBuilder::walkStep(int step, const Matrix& controls, const Matrix& words) {
    m_.controls_.push_back(project(controls));
    m_.words_.push_back(project(words));
    float ratio = kNone;
    if (m_.kind_ == CurveKind::Spline) {
        const Matrix curve = samples_ * controls;
        m_.curves_.push_back(project(curve));
        ratio = pathLength(controls) / std::max(pathLength(curve), 1e-9F);
    }
    m_.numbers_.lengthRatio.push_back(ratio);
    findNearest(step, words);
}

void CurveModelBuilder::walkSteps() {
    for (int step = 0; step < t_.steps; ++step) {
        const View controls = rows(*points_, step);
        walkStep(step, controls, wordsAt(step));
        const float moved = step == 0 ? kNone
                                      : std::sqrt((controls - rows(*points_, step - 1)).squaredNorm() /
                                                  static_cast<float>(controls.rows()));
        m_.numbers_.movement.push_back(moved);
    }
}

void CurveModelBuilder::finish() {
    constexpr float kFar = std::numeric_limits<float>::max();
    m_.low_ = {kFar, kFar};
    m_.high_ = {-kFar, -kFar};
    const auto cover = [this](const PlanePoint& p) {
        m_.low_ = {std::min(m_.low_.x, p.x), std::min(m_.low_.y, p.y)};
        m_.high_ = {std::max(m_.high_.x, p.x), std::max(m_.high_.y, p.y)};
    };
    for (const auto* family : {&m_.controls_, &m_.words_})
        for (const PlanePoints& points : *family) std::for_each(points.begin(), points.end(), cover);
    for (int word = 0; !m_.nearest_.empty() && word < t_.slots; ++word)
        cover(m_.vocabulary_[static_cast<std::size_t>(m_.nearest(t_.steps - 1, word))]);

    m_.functions_.resize(static_cast<std::size_t>(m_.psi_.cols));
    if (m_.kind_ == CurveKind::Spline) {
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
    switch (m_.kind_) {
        case CurveKind::Spline:
            m_.description_ = fmt::format("{} words on a B-spline of degree {} with {} control points",
                                          t_.slots, m_.shape_.degree, m_.psi_.cols);
            break;
        case CurveKind::Other:
            m_.description_ = fmt::format(
                "{} words from {} points by a map that is no spline: straight lines join the words", t_.slots,
                m_.psi_.cols);
            break;
        case CurveKind::WordsOnly:
            m_.description_ = fmt::format(
                "This model has no curve: each of the {} words is its own control point, joined "
                "by straight lines",
                t_.slots);
            break;
    }
}

Result<std::shared_ptr<const CurveModel>> CurveModel::create(std::shared_ptr<const trace::Trace> trace) {
    if (trace->steps < 1 || trace->slots < 1)
        return requestError("curve.no_latent", "this recording is empty").fix("record it again");
    std::shared_ptr<CurveModel> model(new CurveModel);
    model->trace_ = std::move(trace);
    CurveModelBuilder builder(*model);
    KURVE_CHECKED(builder.readBlocks());
    builder.fitBasis();
    builder.walkSteps();
    builder.finish();
    return std::shared_ptr<const CurveModel>(std::move(model));
}

double CurveModel::explained(int axis) const {
    const auto at = static_cast<std::size_t>(axis);
    return at < basis_.explained.size() ? basis_.explained[at] : 0.0;
}

}  // namespace kurve::views
