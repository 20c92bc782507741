// The axes: the points on which they are fitted, and their names.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/inspect/detail/curve_model_builder.h"
#include "core/inspect/token_text.h"

namespace kurve::inspect {

namespace {

/// The latents of a trace at a step [N, d]; empty without any.
CurveRows wordsOf(const trace::Trace& t, int step) {
    const auto rowsAt = [step](const trace::Block& block) {
        const std::int64_t rows = block.shape[1], width = block.shape[2];
        return CurveRowsView(block.data.data() + static_cast<std::int64_t>(step) * rows * width, rows, width);
    };
    const auto *curve = t.block("curve"), *psi = t.block("psi"), *latent = t.block("latent");
    if (curve != nullptr && psi != nullptr)
        return CurveRowsView(psi->data.data(), psi->shape[0], psi->shape[1]) * rowsAt(*curve);
    return latent != nullptr ? CurveRows(rowsAt(*latent)) : CurveRows();
}

void append(std::vector<float>& out, const CurveRows& rows) {
    out.insert(out.end(), rows.data(), rows.data() + rows.size());
}

/// Of the latents of a step those of written positions.
CurveRows writtenRows(const trace::Trace& t, int step, const CurveRows& words) {
    std::vector<Eigen::Index> written;
    for (Eigen::Index word = 0; word < words.rows(); ++word)
        if (CurveModel::isWrittenIn(t, step, static_cast<int>(word))) written.push_back(word);
    return words(written, Eigen::all);
}

/// Reference points of one trace: `words` gives its latents by step, `targets` its target embeddings.
template <class Words, class Targets>
std::vector<float> pointsOf(const trace::Trace& t, const BasisChoice& choice, Words words, Targets targets) {
    std::vector<float> out;
    const auto add = [&](int step) { append(out, writtenRows(t, step, words(step))); };
    switch (choice.reference) {
        case BasisReference::Sentence:
            add(t.steps - 1);
            // The recorded candidates also with the whole vocabulary: the basis must not change.
            if (const trace::Block* table = t.block("vocab/latent"))
                out.insert(out.end(), table->data.begin(), table->data.end());
            break;
        case BasisReference::ThisStep:
            add(std::clamp(choice.step, 0, t.steps - 1));
            break;
        case BasisReference::LastStep:
            add(t.steps - 1);
            break;
        case BasisReference::AllSteps:
            for (int step = 0; step < t.steps; ++step) add(step);
            break;
        case BasisReference::Targets:
            targets(out);
            break;
    }
    return out;
}

void addRow(std::vector<float>& out, const trace::Vocabulary& vocabulary, int row) {
    if (row < 0) return;
    const auto point = vocabulary.table().row(row);
    out.insert(out.end(), point.begin(), point.end());
}

}  // namespace

/// A diverged trace has non-finite points, which would spoil the axes.
std::vector<float> CurveModelBuilder::finiteRows(const std::vector<float>& points) const {
    const auto width = static_cast<std::ptrdiff_t>(points_->shape[2]);
    std::vector<float> out;
    for (auto row = points.begin(); row != points.end(); row += width)
        if (std::all_of(row, row + width, [](float v) { return std::isfinite(v); }))
            out.insert(out.end(), row, row + width);
    return out;
}

bool CurveModelBuilder::hasOther() const {
    if (request_.other == nullptr) return false;
    const trace::Block* points = request_.other->block("curve");
    if (points == nullptr) points = request_.other->block("latent");
    return points != nullptr && points->shape.size() == 3 && points->shape[2] == points_->shape[2];
}

BasisKind CurveModelBuilder::basisKind() const {
    const BasisKind kind = request_.choice.kind;
    if (kind != BasisKind::Lda || (hasOther() && !referenceOfA().empty() && !referenceOfB().empty()))
        return kind;
    return BasisKind::Pca;
}

std::vector<float> CurveModelBuilder::referenceOfA() const {
    return finiteRows(pointsOf(
        t_, request_.choice, [this](int step) { return wordsAt(step); },
        [this](std::vector<float>& out) {
            for (const int row : m_.targets_)
                if (row >= 0) addRow(out, *m_.vocabulary_, row);
        }));
}

std::vector<float> CurveModelBuilder::referenceOfB() const {
    const trace::Trace& t = *request_.other;
    return finiteRows(pointsOf(
        t, request_.choice, [&t](int step) { return wordsOf(t, step); },
        [&t](std::vector<float>& out) {
            const auto vocabulary = trace::Vocabulary::recorded(t);
            for (int position = 0; vocabulary != nullptr && position < t.positions; ++position)
                addRow(out, *vocabulary, vocabulary->rowOf(t.tokenAt(t.steps - 1, position)));
        }));
}

std::vector<float> CurveModelBuilder::reference() const {
    const BasisOf of = !hasOther()                              ? BasisOf::A
                       : request_.choice.kind == BasisKind::Lda ? BasisOf::Both
                                                                : request_.choice.of;
    std::vector<float> out;
    if (of != BasisOf::B) out = referenceOfA();
    if (of != BasisOf::A) {
        const std::vector<float> ofB = referenceOfB();
        out.insert(out.end(), ofB.begin(), ofB.end());
    }
    return out;
}

/// The discriminant of A and B, and the two orthogonal directions of largest variance.
std::vector<std::vector<double>> CurveModelBuilder::discriminants(const std::vector<float>& points) const {
    const auto dims = static_cast<Eigen::Index>(points_->shape[2]);
    const std::vector<double> between =
        curve::discriminant(referenceOfA(), referenceOfB(), static_cast<int>(dims));
    CurveRows rest = CurveRowsView(points.data(), static_cast<Eigen::Index>(points.size()) / dims, dims);
    const Eigen::VectorXf direction = Eigen::Map<const Eigen::VectorXd>(between.data(), dims).cast<float>();
    rest -= (rest * direction) * direction.transpose();
    const auto others =
        curve::fitPca({rest.data(), static_cast<std::size_t>(rest.size())}, static_cast<int>(dims), 2);
    return {between, others.axes[0], others.axes[1]};
}

std::vector<std::vector<double>> CurveModelBuilder::tokenDirections(const std::vector<float>& points) {
    const CurveRows final = wordsAt(t_.steps - 1);
    const auto from = [&](int to) {
        const auto last = static_cast<int>(final.rows()) - 1;
        const auto& words = request_.choice.words;
        const Eigen::RowVectorXf direction =
            final.row(std::clamp(words[static_cast<std::size_t>(to)], 0, last)) -
            final.row(std::clamp(words[0], 0, last));
        return std::vector<double>(direction.begin(), direction.end());
    };
    // The third axis: the largest variance.
    return {from(1), from(2), curve::fitPca(points, static_cast<int>(final.cols()), 1).axes[0]};
}

curve::LinearBasis CurveModelBuilder::fitted(BasisKind kind) {
    const auto dims = static_cast<int>(points_->shape[2]);
    const std::vector<float> points = reference();
    if (kind == BasisKind::Lda) return curve::basisAlong(points, dims, discriminants(points));
    if (kind == BasisKind::Tokens) return curve::basisAlong(points, dims, tokenDirections(points));
    if (kind == BasisKind::Random)
        return curve::basisAlong(points, dims, curve::randomDirections(dims, 3, request_.choice.seed));
    curve::LinearBasis basis = curve::fitPca(points, dims, 3);
    if (request_.former) curve::alignSigns(basis, *request_.former);
    return basis;
}

std::array<std::string, 3> CurveModelBuilder::axisNames(BasisKind kind) const {
    if (kind == BasisKind::Lda) return {"LDA A → B", "rest 1", "rest 2"};
    if (kind == BasisKind::Random) return {"random 1", "random 2", "random 3"};
    if (kind == BasisKind::Pca) return {"PC 1", "PC 2", "PC 3"};
    const auto token = [this](std::size_t which) {
        const int position = std::clamp(request_.choice.words[which], 0, t_.positions - 1);
        const std::string& text = t_.textOf(t_.tokenAt(t_.steps - 1, position));
        return text.empty() ? std::to_string(position) : shownText(tokenText(text));
    };
    return {fmt::format("{} → {}", token(0), token(1)), fmt::format("{} → {}", token(0), token(2)), "rest"};
}

}  // namespace kurve::inspect
