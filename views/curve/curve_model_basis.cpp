// The axes of the picture: which points they are fitted on and what they are called.
#include <fmt/format.h>

#include <algorithm>

#include "views/curve/curve_model_builder.h"
#include "views/imgui_host/piece_text.h"

namespace kurve::views {

std::vector<float> CurveModelBuilder::reference() const {
    std::vector<float> out;
    const auto add = [&](const CurveRows& rows) {
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
    const CurveRows final = wordsAt(t_.steps - 1);
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

}  // namespace kurve::views
