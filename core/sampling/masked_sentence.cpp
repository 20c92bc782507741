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

int MaskedSentence::asked() const {
    int count = 0;
    for (int slot = 0; slot < size(); ++slot) count += asks(slot) ? 1 : 0;
    return count;
}

void MaskedSentence::offer(int slot, std::int32_t token, float logProbability) {
    KURVE_CHECK(pass_ < plan_.passes, "an offer after the last pass");
    if (asks(slot)) set(slot, token, logProbability);
}

void MaskedSentence::set(int slot, std::int32_t token, float logProbability) {
    tokens_[at(slot)] = token;
    scores_[at(slot)] = logProbability;
}

void MaskedSentence::endPass() {
    unchanged_ = tokens_ == before_;
    before_ = tokens_;
    const int count = remaskCount(size(), plan_.passes, pass_++, plan_.rule);
    std::vector<float> ranked = scores_;
    for (std::size_t i = 0; i < ranked.size(); ++i)
        if (fixed_[i]) ranked[i] = std::numeric_limits<float>::infinity();
    masked_.assign(masked_.size(), 0);
    for (const int slot : lowest(ranked, count)) masked_[at(slot)] = 1;
}

void MaskedSentence::fix(int slot, std::int32_t token) {
    set(slot, token, 0);
    fixed_[at(slot)] = 1;
}

}  // namespace kurve::sampling
