#include "core/inspect/curve_edit.h"

#include <array>

namespace kurve::inspect {
namespace {

void shift(SpacePoint& point, const SpacePoint& from, SpacePoint by, double weight) {
    const auto w = static_cast<float>(weight);
    point = {from.x + w * by.x, from.y + w * by.y, from.z + w * by.z};
}

}  // namespace

CurveEdit::CurveEdit(std::shared_ptr<const CurveModel> model, int step, std::vector<int> controls)
    : model_(std::move(model)), step_(step), controls_(std::move(controls)), shown_(model_->step(step)) {}

double CurveEdit::wordWeight(int word) const {
    double sum = 0;
    for (const int control : controls_) sum += model_->psi(word, control);
    return sum;
}

CurveEdit::Search CurveEdit::searchFor(const CurveModel& model, int step) {
    if (model.vocabulary() == nullptr) return nullptr;
    std::vector<float> directions;
    for (const std::vector<double>& axis : model.basis().axes)
        directions.insert(directions.end(), axis.begin(), axis.end());
    return std::make_shared<curve::MovedNearest>(model.vocabulary()->table(), model.wordData(step),
                                                 directions);
}

void CurveEdit::setSearch(Search search) {
    search_ = std::move(search);
    decode();
}

void CurveEdit::move(SpacePoint by) {
    by_ = by;
    const CurveStep& was = model_->step(step_);
    for (const int control : controls_) {
        const auto c = static_cast<std::size_t>(control);
        shift(shown_.controls[c], was.controls[c], by, 1);
    }
    for (int w = 0; w < model_->words(); ++w) {
        const auto at = static_cast<std::size_t>(w);
        shift(shown_.words[at], was.words[at], by, wordWeight(w));
    }
    for (std::size_t i = 0; i < shown_.curve.size(); ++i) {
        double weight = 0;
        for (const int control : controls_) weight += model_->sampleWeight(static_cast<int>(i), control);
        shift(shown_.curve[i], was.curve[i], by, weight);
    }
    decode();
}

void CurveEdit::decode() {
    if (search_ == nullptr || shown_.nearest.empty()) return;
    const CurveStep& was = model_->step(step_);
    const auto near = static_cast<std::size_t>(model_->near());
    for (int w = 0; w < model_->words(); ++w) {
        const auto weight = static_cast<float>(wordWeight(w));
        const auto at = static_cast<std::size_t>(w);
        if (weight == 0) continue;
        if (!moved()) {
            shown_.nearest[at * near] = was.nearest[at * near];
            shown_.residuals[at] = was.residuals[at];
            continue;
        }
        const std::array<float, 3> by{weight * by_.x, weight * by_.y, weight * by_.z};
        const curve::Nearest found = search_->find(w, by);
        shown_.nearest[at * near] = found.row;
        shown_.residuals[at] = found.distance;
    }
}

bool CurveEdit::changed(int word) const {
    return nearest(word) != model_->nearest(step_, word);
}

int CurveEdit::nearest(int word) const {
    if (shown_.nearest.empty()) return -1;
    return shown_.nearest[static_cast<std::size_t>(word) * static_cast<std::size_t>(model_->near())];
}

std::vector<float> CurveEdit::point(int control) const {
    std::vector<float> out = model_->controlData(step_, control);
    const std::array<float, 3> by{by_.x, by_.y, by_.z};
    const auto& axes = model_->basis().axes;
    for (std::size_t a = 0; a < axes.size(); ++a)
        for (std::size_t i = 0; i < out.size(); ++i) out[i] += by[a] * static_cast<float>(axes[a][i]);
    return out;
}

}  // namespace kurve::inspect
