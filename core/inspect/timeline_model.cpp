#include "core/inspect/timeline_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/metrics/metric.h"

namespace kurve::inspect {

using trace::TokenState;

MeasureText measureText(Measure measure) {
    switch (measure) {
        case Measure::Confidence:
            return {"confidence", "probability of the shown token"};
        case Measure::Margin:
            return {"margin",
                    "best minus second candidate: of cosines for continuous models, else of probabilities"};
        case Measure::Entropy:
            return {"entropy", "uncertainty over the vocabulary, in nats"};
        case Measure::Norm:
            return {"latent norm", "norm of the estimated latent"};
    }
    return {"", ""};
}

TimelineModel::TimelineModel(std::shared_ptr<const trace::Trace> trace)
    : trace_(std::move(trace)), marks_(*trace_) {
    empty_ = trace_->ordered() && !trace_->masks() ? "not written" : "masked";
    for (const auto& [id, text] : trace_->tokenTexts) {
        TokenText& one = texts_.emplace(id, tokenText(text)).first->second;
        // A sentence has no ▁ before it, as tokens have.
        if (trace_->unit == trace::Unit::Sentence) one.wordStart = true;
    }
    const auto highest = [](const std::vector<float>& values) {
        float top = 0;
        for (const float v : values)
            if (std::isfinite(v)) top = std::max(top, v);
        return top > 0 ? top : 1.0F;
    };
    computeNorms();
    tops_[static_cast<std::size_t>(Measure::Norm)] = highest(norms_);
    tops_[static_cast<std::size_t>(Measure::Margin)] = highest(trace_->margin);
    tops_[static_cast<std::size_t>(Measure::Entropy)] = highest(trace_->entropy);
    computeStatistics();
    computeDistances();
    scoreSteps();
}

const std::vector<float>& TimelineModel::valuesOf(Measure measure) const {
    return measure == Measure::Confidence ? trace_->confidence
           : measure == Measure::Margin   ? trace_->margin
           : measure == Measure::Norm     ? norms_
                                          : trace_->entropy;
}

float TimelineModel::value(Measure measure, int step, int position) const {
    const auto& values = valuesOf(measure);
    const std::size_t cell = trace_->cell(step, position);
    return cell < values.size() ? values[cell] : std::numeric_limits<float>::quiet_NaN();
}

const TokenText& TimelineModel::textOf(std::uint32_t id) const {
    static const TokenText unknown{"\xE2\x80\xA6", false, true};
    const auto found = texts_.find(id);
    return found == texts_.end() ? unknown : found->second;
}

bool TimelineModel::holdsMask(int step, int position) const {
    const TokenState what = state(step, position);
    return what == TokenState::Masked ||
           (what == TokenState::Remask && textOf(token(step, position)).special);
}

bool TimelineModel::isEdit(int step, int position) const {
    switch (state(step, position)) {
        case TokenState::Flip:
            return true;
        case TokenState::Remask:
            return step == 0 || token(step, position) != token(step - 1, position);
        case TokenState::New:
            return step > 0;  // the first estimate of a continuous model is not a change
        default:
            return false;
    }
}

void TimelineModel::computeStatistics() {
    const auto count = static_cast<std::size_t>(steps());
    StepStatistics& s = statistics_;
    s.confidence.assign(count, 0);
    s.entropy.assign(count, 0);
    s.edits.assign(count, 0);
    s.masked.assign(count, 0);
    edits_.assign(static_cast<std::size_t>(positions()), 0);
    settled_.assign(static_cast<std::size_t>(positions()), 0);
    for (int step = 0; step < steps(); ++step) {
        const auto at = static_cast<std::size_t>(step);
        int written = 0;
        for (int position = 0; position < positions(); ++position) {
            const TokenState what = state(step, position);
            if (what == TokenState::Pad) continue;
            if (step > 0 || !continuous() || what != TokenState::New)
                occurs_[static_cast<std::size_t>(what)] = true;
            if (!holdsMask(step, position)) {  // an empty position has no confidence
                ++written;
                s.confidence[at] += value(Measure::Confidence, step, position);
                s.entropy[at] += value(Measure::Entropy, step, position);
            }
            const bool next = step + 1 < steps() && state(step + 1, position) == TokenState::Remask &&
                              !holdsMask(step + 1, position);
            s.masked[at] += holdsMask(step, position) || next ? 1.0F : 0.0F;
            if (!isEdit(step, position)) continue;
            s.edits[at] += 1;
            ++edits_[static_cast<std::size_t>(position)];
            settled_[static_cast<std::size_t>(position)] = step;
        }
        s.confidence[at] /= static_cast<float>(written);  // NaN where there is none
        s.entropy[at] /= static_cast<float>(written);
    }
}

void TimelineModel::computeDistances() {
    statistics_.distance.assign(static_cast<std::size_t>(steps()), std::numeric_limits<float>::quiet_NaN());
    const trace::Block* latent = trace_->block("latent");
    if (latent == nullptr || latent->shape.size() != 3) return;
    const auto width = static_cast<std::size_t>(positions()) * static_cast<std::size_t>(latent->shape[2]);
    if (width == 0 || latent->data.size() < width * static_cast<std::size_t>(steps())) return;
    for (int step = 1; step < steps(); ++step) {
        const float* now = latent->data.data() + static_cast<std::size_t>(step) * width;
        const float* before = now - width;
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i)
            sum += static_cast<double>(now[i] - before[i]) * (now[i] - before[i]);
        statistics_.distance[static_cast<std::size_t>(step)] =
            static_cast<float>(std::sqrt(sum / positions()));
    }
}

void TimelineModel::computeNorms() {
    const trace::Block* latent = trace_->block("latent");
    if (latent == nullptr || latent->shape.size() != 3) return;
    const auto width = static_cast<std::size_t>(latent->shape[2]), cells = trace_->cell(steps(), 0);
    if (width == 0 || latent->data.size() < cells * width) return;
    for (std::size_t cell = 0; cell < cells; ++cell) {
        double sum = 0;
        for (std::size_t i = cell * width; i < (cell + 1) * width; ++i)
            sum += static_cast<double>(latent->data[i]) * latent->data[i];
        norms_.push_back(static_cast<float>(std::sqrt(sum)));
    }
}

std::optional<TraceCell> TimelineModel::findEdit(int step, int position, bool forward) const {
    const int first = position >= 0 ? position : 0, last = position >= 0 ? position : positions() - 1;
    const int direction = forward ? 1 : -1;
    for (int at = step + direction; at >= 0 && at < steps(); at += direction)
        for (int n = first; n <= last; ++n)
            if (isEdit(at, n)) return TraceCell{at, n};
    return std::nullopt;
}

void TimelineModel::scoreSteps() {
    const std::string reference = trace_->metaText("reference");
    if (reference.empty()) return;
    std::string before;
    for (int step = 0; step < steps(); ++step) {
        const std::string text = textAt(step);
        const bool same = step > 0 && text == before;  // late steps hardly change
        statistics_.bleu.push_back(same ? statistics_.bleu.back()
                                        : static_cast<float>(metrics::sentenceBleu(text, reference)));
        statistics_.chrf.push_back(same ? statistics_.chrf.back()
                                        : static_cast<float>(metrics::sentenceChrf(text, reference)));
        before = text;
    }
}

std::vector<RankLine> TimelineModel::rankFlow(int position) const {
    std::unordered_map<std::uint32_t, RankLine> lines;
    const auto count = static_cast<std::size_t>(steps());
    for (int step = 0; step < steps(); ++step) {
        const trace::Candidates found = trace_->candidates(step, position);
        for (std::size_t k = 0; k < found.ids.size(); ++k) {
            RankLine& line = lines.try_emplace(found.ids[k]).first->second;
            if (line.rank.empty()) {
                line.id = found.ids[k];
                line.rank.assign(count, -1);
                line.probability.assign(count, 0);
            }
            line.rank[static_cast<std::size_t>(step)] = static_cast<std::int8_t>(k);
            line.probability[static_cast<std::size_t>(step)] = found.probabilities[k];
        }
    }
    std::vector<std::pair<float, std::uint32_t>> weight;
    for (const auto& [id, line] : lines) {
        float sum = 0;
        for (const float p : line.probability) sum += p;
        weight.emplace_back(-sum, id);
    }
    std::sort(weight.begin(), weight.end());
    weight.resize(std::min(weight.size(), static_cast<std::size_t>(trace_->topK)));
    std::vector<RankLine> out;
    for (const auto& [sum, id] : weight) out.push_back(std::move(lines[id]));
    return out;
}

std::string TimelineModel::textAt(int step) const {
    std::string out;
    for (int position = 0; position < positions(); ++position) {
        const TokenText& shown = textOf(token(step, position));
        if (shown.special || state(step, position) == TokenState::Pad) continue;
        if (shown.wordStart && !out.empty()) out += ' ';
        out += shown.text;
    }
    return out;
}

}  // namespace kurve::inspect
