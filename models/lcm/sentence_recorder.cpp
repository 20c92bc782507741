#include "models/lcm/sentence_recorder.h"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <span>

#include "models/common/decoding.h"

namespace kurve::models::lcm {
namespace {

using Ids = std::vector<std::int32_t>;

/// Raw vectors [n, w] of sentences with <s> and </s>; longer ones than the model takes are cut.
at::Tensor vectorsOf(sentence_concept::ConceptNetImpl& concepts, std::span<const Ids> sentences) {
    constexpr std::size_t kRows = 256;
    const auto longest = static_cast<std::size_t>(concepts.sizes().maxTokens) + 1;
    std::vector<at::Tensor> all;
    for (std::size_t first = 0; first < sentences.size(); first += kRows) {
        const auto some = sentences.subspan(first, std::min(kRows, sentences.size() - first));
        std::vector<Ids> rows(some.begin(), some.end());
        for (Ids& row : rows) row.resize(std::min(row.size(), longest));
        std::vector<std::size_t> order(rows.size());
        std::iota(order.begin(), order.end(), std::size_t{0});
        const PaddedRows padded = padRows(rows, order, concepts.device(), {concepts.sizes().special.pad, 1});
        all.push_back(concepts.encode({padded.ids, padded.lengths}));
    }
    return at::cat(all);
}

at::Tensor unit(const at::Tensor& vectors) {
    return vectors / vectors.norm(2, -1, true).clamp_min(1e-12);
}

}  // namespace

using trace::TokenState;

SentenceRecorder::SentenceRecorder(LcmParts& parts, const train::GenerateRequest& request,
                                   trace::TraceSink& sink, int known, std::size_t steps, int most)
    : parts_(parts), request_(request), recorder_(request, sink), known_(known), most_(most) {
    recorder_.begin((most - known) * static_cast<int>(steps));
    auto concepts = parts_.concepts();
    if (request.maybeCorpus != nullptr && !request.maybeCorpus->empty())
        corpus_ = unit(vectorsOf(*concepts, *request.maybeCorpus));
    if (!request.references.empty())
        reference_ = concepts->normalised(vectorsOf(*concepts, request.references));
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
    auto written = concepts->write(concepts->denormalised(state.estimate.unsqueeze(0)));
    if (state.maybeText != nullptr) written.ids.front() = *state.maybeText;
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
    addNearest(state.estimate, place.sentence);
    addDistances(state.estimate, place);
    for (const auto& [text, number] : texts_) frame.tokenTexts[number] = text;
    // Vectors of the sentences: of those before as they ended.
    vectors_.resize(static_cast<std::size_t>(most_));
    std::fill(vectors_.begin() + place.sentence, vectors_.end(), state.estimate);
    at::Tensor noisy = at::stack(vectors_);
    recorder_.addLayer("latent", noisy);
    noisy = noisy.clone();
    noisy[place.sentence].copy_(state.noisy);
    recorder_.addLayer("noisy", noisy);
    recorder_.endFrame(most_, {timeAndLogSnr.first, timeAndLogSnr.second, place.sentence, place.step});
}

void SentenceRecorder::addNearest(const at::Tensor& estimate, int sentence) {
    if (!corpus_.defined()) return;
    trace::Trace& frame = recorder_.frame();
    const auto top = std::min<std::int64_t>(frame.topK, corpus_.size(0));
    const auto [cosines, which] =
        at::matmul(corpus_, unit(parts_.concepts()->denormalised(estimate))).topk(top);
    const auto each = static_cast<std::size_t>(frame.topK), first = static_cast<std::size_t>(sentence) * each;
    nearest_.resize(each * static_cast<std::size_t>(most_));
    cosines_.resize(nearest_.size());
    for (std::int64_t k = 0; k < top; ++k) {
        const Ids& found = (*request_.maybeCorpus)[static_cast<std::size_t>(which[k].item<std::int64_t>())];
        nearest_[first + static_cast<std::size_t>(k)] = numberOf({found.begin() + 1, found.end() - 1});
        cosines_[first + static_cast<std::size_t>(k)] = std::max(0.0F, cosines[k].item<float>());
    }
    frame.topIds = nearest_;
    frame.topProbability = cosines_;
}

void SentenceRecorder::addDistances(const at::Tensor& estimate, const Place& place) {
    const auto layer = [&](const char* name, const at::Tensor& from) {
        at::Tensor values = at::zeros({most_});
        values[place.sentence].fill_((estimate - from).norm().cpu());
        recorder_.addLayer(name, values);
    };
    layer("step_distance", place.step == 0 ? estimate : last_);
    if (reference_.defined())
        layer("reference_distance",
              place.sentence < reference_.size(0) ? reference_[place.sentence] : estimate);
    last_ = estimate;
}

}  // namespace kurve::models::lcm
