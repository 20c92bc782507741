#include "views/curve/curve_model.h"

#include <fmt/format.h>

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>

#include "views/imgui_host/piece_text.h"

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

/// Angles between neighbouring pieces, summed.
float totalTurning(const Matrix& points) {
    double sum = 0;
    for (Eigen::Index i = 2; i < points.rows(); ++i) {
        const Eigen::RowVectorXd a = (points.row(i - 1) - points.row(i - 2)).cast<double>();
        const Eigen::RowVectorXd b = (points.row(i) - points.row(i - 1)).cast<double>();
        const double lengths = a.norm() * b.norm();
        if (lengths > 0) sum += std::acos(std::clamp(a.dot(b) / lengths, -1.0, 1.0));
    }
    return static_cast<float>(sum);
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
    CurveModelBuilder(CurveModel& model, const CurveRequest& request)
        : m_(model), t_(*model.trace_), request_(request) {}

    Status readBlocks();
    void fitBasis();
    void walkSteps();
    void finish();

private:
    Status readMap(const trace::Block& curve);
    void readVocabulary();
    [[nodiscard]] std::vector<float> reference() const;
    [[nodiscard]] curve::LinearBasis fitted();
    [[nodiscard]] std::vector<std::vector<double>> wordDirections(const std::vector<float>& points);
    void nameAxes();
    void walkStep(int step, const Matrix& controls, const Matrix& words);
    void measureCurve(const Matrix* curve, const Matrix& controls);
    void readCurves();
    void addCurves(int step, CurveStep& out) const;
    void findNearest(int step, const Matrix& words, CurveStep& out);
    void frameEverything();
    void sampleFunctions();
    void describe();
    [[nodiscard]] SpacePoints project(const Matrix& points) const;
    [[nodiscard]] Matrix wordsAt(int step) const;
    [[nodiscard]] View rows(int step) const;

    CurveModel& m_;
    const trace::Trace& t_;
    const CurveRequest& request_;
    const trace::Block* points_ = nullptr;  ///< control points, or the words' own latents
    Matrix psi_, samples_, axes_;           ///< axes_: [d, 3]
    Eigen::RowVectorXf mean_;
};

View CurveModelBuilder::rows(int step) const {
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
        const View controls(t_.block("curves")->data.data() + (step * n + i) * m * d, m, d);
        out.curves.push_back(project(samples_ * controls));
        out.weights.push_back(t_.block("curve_weights")->data[static_cast<std::size_t>(step * n + i)]);
    }
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
    const auto dims = static_cast<int>(points_->shape[2]);
    m_.vocabulary_ = request_.vocabulary ? request_.vocabulary : trace::Vocabulary::recorded(t_);
    if (m_.vocabulary_ != nullptr && m_.vocabulary_->table().dims() != dims) m_.vocabulary_ = nullptr;
    m_.near_ = m_.vocabulary_ ? std::min(CurveModel::kNear, m_.vocabulary_->size()) : 0;
    for (int word = 0; word < t_.slots; ++word)
        m_.targets_.push_back(m_.vocabulary_ ? m_.vocabulary_->rowOf(t_.tokens[t_.cell(t_.steps - 1, word)])
                                             : -1);
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
    readCurves();
    return {};
}

Matrix CurveModelBuilder::wordsAt(int step) const {
    if (m_.kind_ == CurveKind::WordsOnly) return rows(step);
    return psi_ * rows(step);
}

std::vector<float> CurveModelBuilder::reference() const {
    std::vector<float> out;
    const auto add = [&](const Matrix& rows) {
        out.insert(out.end(), rows.data(), rows.data() + rows.size());
    };
    const BasisChoice& choice = request_.choice;
    switch (choice.reference) {
        case BasisReference::Sentence: {
            add(wordsAt(t_.steps - 1));
            // The recorded candidates also where the whole vocabulary is known: the plane must not change.
            const trace::Block* table = t_.block("vocab/latent");
            if (m_.vocabulary_ != nullptr && table != nullptr)
                out.insert(out.end(), table->data.begin(), table->data.end());
            break;
        }
        case BasisReference::ThisStep:
            add(wordsAt(std::clamp(choice.step, 0, t_.steps - 1)));
            break;
        case BasisReference::LastStep:
            add(wordsAt(t_.steps - 1));
            break;
        case BasisReference::AllSteps:
            for (int step = 0; step < t_.steps; ++step) add(wordsAt(step));
            break;
        case BasisReference::Targets:
            for (const int row : m_.targets_)
                if (row >= 0) {
                    const auto point = m_.vocabulary_->table().row(row);
                    out.insert(out.end(), point.begin(), point.end());
                }
            break;
    }
    return out;
}

std::vector<std::vector<double>> CurveModelBuilder::wordDirections(const std::vector<float>& points) {
    const Matrix final = wordsAt(t_.steps - 1);
    const auto from = [&](int to) {
        const auto last = static_cast<int>(final.rows()) - 1;
        const auto& words = request_.choice.words;
        const Eigen::RowVectorXf way = final.row(std::clamp(words[static_cast<std::size_t>(to)], 0, last)) -
                                       final.row(std::clamp(words[0], 0, last));
        return std::vector<double>(way.begin(), way.end());
    };
    // The third axis: what varies most beside the two.
    return {from(1), from(2), curve::fitPca(points, static_cast<int>(final.cols()), 1).axes[0]};
}

curve::LinearBasis CurveModelBuilder::fitted() {
    const auto dims = static_cast<int>(points_->shape[2]);
    if (request_.kept && request_.kept->dims == dims) return *request_.kept;
    const std::vector<float> points = reference();
    if (request_.choice.kind == BasisKind::Words)
        return curve::basisAlong(points, dims, wordDirections(points));
    if (request_.choice.kind == BasisKind::Random)
        return curve::basisAlong(points, dims, curve::randomDirections(dims, 3, request_.choice.seed));
    curve::LinearBasis basis = curve::fitPca(points, dims, 3);
    if (request_.former) curve::alignSigns(basis, *request_.former);
    return basis;
}

void CurveModelBuilder::nameAxes() {
    for (std::size_t axis = 0; axis < 3; ++axis)
        m_.names_[axis] =
            fmt::format("{} {}", request_.choice.kind == BasisKind::Random ? "random" : "PC", axis + 1);
    if (request_.choice.kind != BasisKind::Words) return;
    const auto word = [this](std::size_t which) {
        const int slot = std::clamp(request_.choice.words[which], 0, t_.slots - 1);
        const auto piece = t_.pieces.find(t_.tokens[t_.cell(t_.steps - 1, slot)]);
        return piece == t_.pieces.end() ? std::to_string(slot) : pieceText(piece->second).text;
    };
    m_.names_ = {fmt::format("{} → {}", word(0), word(1)), fmt::format("{} → {}", word(0), word(2)), "rest"};
}

void CurveModelBuilder::fitBasis() {
    psi_ = toFloat(m_.psi_);
    if (m_.kind_ == CurveKind::Spline) {
        m_.samples_ = sampleBasis(m_.shape_, CurveModel::kCurveSamples);
        samples_ = toFloat(m_.samples_);
    }
    m_.basis_ = fitted();
    nameAxes();
    const int dims = m_.basis_.dims;
    axes_ = Matrix::Zero(dims, 3);
    mean_ = Eigen::RowVectorXf::Zero(dims);
    for (int i = 0; i < dims; ++i) {
        const auto at = static_cast<std::size_t>(i);
        mean_(i) = static_cast<float>(m_.basis_.mean[at]);
        for (std::size_t a = 0; a < m_.basis_.axes.size(); ++a)
            axes_(i, static_cast<Eigen::Index>(a)) = static_cast<float>(m_.basis_.axes[a][at]);
    }
    if (m_.vocabulary_ == nullptr) return;
    const curve::EmbeddingTable& table = m_.vocabulary_->table();
    m_.tokens_ = project(View(table.rows().data(), table.size(), table.dims()));
}

SpacePoints CurveModelBuilder::project(const Matrix& points) const {
    const Matrix flat = (points.rowwise() - mean_) * axes_;
    SpacePoints out(static_cast<std::size_t>(flat.rows()));
    for (Eigen::Index i = 0; i < flat.rows(); ++i)
        out[static_cast<std::size_t>(i)] = {flat(i, 0), flat(i, 1), flat(i, 2)};
    return out;
}

void CurveModelBuilder::findNearest(int step, const Matrix& words, CurveStep& out) {
    CurveNumbers& n = m_.numbers_;
    if (m_.vocabulary_ == nullptr) {
        for (auto* values : {&n.residual, &n.nearestShown, &n.nearestFinal}) values->push_back(kNone);
        return;
    }
    const std::vector<float> points(words.data(), words.data() + words.size());
    const std::vector<curve::Nearest> found = m_.vocabulary_->table().nearest(points, m_.near_);
    float residual = 0, shown = 0, final = 0;
    for (const curve::Nearest& one : found) out.nearest.push_back(one.row);
    for (int w = 0; w < t_.slots; ++w) {
        const curve::Nearest& best = found[static_cast<std::size_t>(w) * static_cast<std::size_t>(m_.near_)];
        const std::uint32_t id = m_.vocabulary_->id(best.row);
        out.residuals.push_back(best.distance);
        residual += best.distance;
        shown += id == t_.tokens[t_.cell(step, w)] ? 1.0F : 0.0F;
        final += id == t_.tokens[t_.cell(t_.steps - 1, w)] ? 1.0F : 0.0F;
    }
    const auto count = static_cast<float>(t_.slots);
    n.residual.push_back(residual / count);
    n.nearestShown.push_back(shown / count);
    n.nearestFinal.push_back(final / count);
}

void CurveModelBuilder::measureCurve(const Matrix* curve, const Matrix& controls) {
    float ratio = kNone, turning = kNone;
    if (curve != nullptr) {
        ratio = pathLength(controls) / std::max(pathLength(*curve), 1e-9F);
        turning = totalTurning(*curve);
    }
    m_.numbers_.lengthRatio.push_back(ratio);
    m_.numbers_.turning.push_back(turning);
}

void CurveModelBuilder::walkStep(int step, const Matrix& controls, const Matrix& words) {
    CurveStep out;
    out.controls = project(controls);
    out.words = project(words);
    if (m_.kind_ == CurveKind::Spline) {
        const Matrix curve = samples_ * controls;
        out.curve = project(curve);
        measureCurve(&curve, controls);
    } else {
        out.curve = out.words;
        measureCurve(nullptr, controls);
    }
    findNearest(step, words, out);
    addCurves(step, out);
    m_.steps_.push_back(std::move(out));
}

void CurveModelBuilder::walkSteps() {
    for (int step = 0; step < t_.steps; ++step) {
        const View controls = rows(step);
        walkStep(step, controls, wordsAt(step));
        const float moved =
            step == 0
                ? kNone
                : std::sqrt((controls - rows(step - 1)).squaredNorm() / static_cast<float>(controls.rows()));
        m_.numbers_.movement.push_back(moved);
    }
}

void CurveModelBuilder::frameEverything() {
    constexpr float kFar = std::numeric_limits<float>::max();
    m_.low_ = {kFar, kFar, kFar};
    m_.high_ = {-kFar, -kFar, -kFar};
    const auto cover = [this](const SpacePoint& p) {
        m_.low_ = {std::min(m_.low_.x, p.x), std::min(m_.low_.y, p.y), std::min(m_.low_.z, p.z)};
        m_.high_ = {std::max(m_.high_.x, p.x), std::max(m_.high_.y, p.y), std::max(m_.high_.z, p.z)};
    };
    for (const CurveStep& step : m_.steps_) {
        std::for_each(step.controls.begin(), step.controls.end(), cover);
        std::for_each(step.words.begin(), step.words.end(), cover);
    }
    for (const int row : m_.targets_)
        if (row >= 0) cover(m_.tokens_[static_cast<std::size_t>(row)]);
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

void CurveModelBuilder::finish() {
    frameEverything();
    sampleFunctions();
    describe();
}

Result<std::shared_ptr<const CurveModel>> CurveModel::create(const CurveRequest& request) {
    if (request.trace->steps < 1 || request.trace->slots < 1)
        return requestError("curve.no_latent", "this recording is empty").fix("record it again");
    std::shared_ptr<CurveModel> model(new CurveModel);
    model->trace_ = request.trace;
    CurveModelBuilder builder(*model, request);
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

int CurveModel::nearest(int step, int word) const {
    const CurveStep& at = steps_[index(step)];
    return at.nearest.empty() ? -1 : at.nearest[index(word) * static_cast<std::size_t>(near_)];
}

/// The control points that carry the words at a step: [M, d].
const float* CurveModel::pointsAt(int step) const {
    const trace::Block* taken = trace_->block(kind_ == CurveKind::WordsOnly ? "latent" : "curve");
    const auto size = static_cast<std::ptrdiff_t>(psi_.cols) * taken->shape[2];
    if (curve_ < 0) return taken->data.data() + step * size;
    return trace_->block("curves")->data.data() +
           (static_cast<std::ptrdiff_t>(step) * curves_ + curve_) * size;
}

std::vector<float> CurveModel::controlData(int step, int control) const {
    const float* from = pointsAt(step) + static_cast<std::ptrdiff_t>(control) * dims();
    return {from, from + dims()};
}

std::vector<float> CurveModel::wordData(int step) const {
    const View controls(pointsAt(step), psi_.cols, dims());
    const Matrix out = toFloat(psi_) * controls;
    return {out.data(), out.data() + out.size()};
}

}  // namespace kurve::views
