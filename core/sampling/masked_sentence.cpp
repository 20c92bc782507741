#include "core/sampling/masked_sentence.h"

#include <limits>

#include "core/base/check.h"

namespace kurve::sampling {

MaskedSentence::MaskedSentence(int ordinary, const MaskPredictPlan& plan)
    : plan_(plan),
      tokens_(at(ordinary), -1),
      before_(at(ordinary), -1),
      scores_(at(ordinary), 0),
      masked_(at(ordinary), 1),
      fixed_(at(ordinary), 0) {}

void MaskedSentence::setPrediction(int position, std::int32_t token, float logProbability) {
    KURVE_CHECK(pass_ < plan_.passes, "a prediction after the last pass");
    if (isPredicted(position)) set(position, token, logProbability);
}

void MaskedSentence::set(int position, std::int32_t token, float logProbability) {
    tokens_[at(position)] = token;
    scores_[at(position)] = logProbability;
}

void MaskedSentence::endPass() {
    unchanged_ = tokens_ == before_;
    before_ = tokens_;
    const int count = remaskCount(size(), plan_.passes, pass_++, plan_.rule);
    std::vector<float> ranked = scores_;
    for (std::size_t i = 0; i < ranked.size(); ++i)
        if (fixed_[i]) ranked[i] = std::numeric_limits<float>::infinity();
    masked_.assign(masked_.size(), 0);
    for (const int position : lowest(ranked, count)) masked_[at(position)] = 1;
}

void MaskedSentence::fix(int position, std::int32_t token) {
    set(position, token, 0);
    fixed_[at(position)] = 1;
}

}  // namespace kurve::sampling
