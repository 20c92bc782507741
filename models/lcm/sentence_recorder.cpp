#include "models/lcm/sentence_recorder.h"

#include <torch/torch.h>

namespace kurve::models::lcm {

using trace::TokenState;

SentenceRecorder::SentenceRecorder(LcmParts& parts, const train::GenerateRequest& request,
                                   trace::TraceSink& sink, int known, std::size_t steps, int most)
    : parts_(parts), request_(request), recorder_(request, sink), known_(known), most_(most) {
    recorder_.begin((most - known) * static_cast<int>(steps));
}

std::uint32_t SentenceRecorder::numberOf(const std::vector<std::int32_t>& sentence) {
    const std::string text = request_.textOf ? request_.textOf(sentence) : std::string();
    return texts_.emplace(text, static_cast<std::uint32_t>(texts_.size())).first->second;
}

void SentenceRecorder::add(const std::vector<std::vector<std::int32_t>>& before, const Place& place,
                           const std::pair<double, double>& timeAndLogSnr, const State& state) {
    auto concepts = parts_.concepts();
    trace::Trace& frame = recorder_.frame();
    frame.unit = trace::Unit::Sentence;
    frame.outerLength = most_;
    const auto written = concepts->write(concepts->denormalised(state.estimate.unsqueeze(0)));
    const std::uint32_t now = numberOf(written.ids.front());
    for (int s = 0; s < most_; ++s) {
        const auto at = static_cast<std::size_t>(s);
        const bool there = s < place.sentence, here = s == place.sentence;
        const TokenState what = s < known_        ? TokenState::Given
                                : there           ? TokenState::Kept
                                : !here           ? TokenState::Masked
                                : place.step == 0 ? TokenState::New
                                : now == before_  ? TokenState::Kept
                                                  : TokenState::Flip;
        frame.tokens.push_back(there ? numberOf(before[at]) : here ? now : trace::kNoToken);
        frame.state.push_back(static_cast<std::uint8_t>(what));
        frame.confidence.push_back(there  ? 1.0F
                                   : here ? static_cast<float>(std::exp(written.score.front()))
                                          : 0.0F);
    }
    before_ = now;
    for (const auto& [text, number] : texts_) frame.tokenTexts[number] = text;
    // Vectors of the sentences: of those before as they ended.
    while (vectors_.size() < static_cast<std::size_t>(most_))
        vectors_.push_back(at::zeros_like(state.estimate));
    vectors_[static_cast<std::size_t>(place.sentence)] = state.estimate;
    at::Tensor noisy = at::stack(vectors_);
    recorder_.addLayer("latent", noisy);
    noisy = noisy.clone();
    noisy[place.sentence].copy_(state.noisy);
    recorder_.addLayer("noisy", noisy);
    recorder_.endFrame(most_, {timeAndLogSnr.first, timeAndLogSnr.second, place.sentence, place.step});
}

}  // namespace kurve::models::lcm
