#include "views/timeline/timeline_model.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/metrics/metric.h"

namespace kurve::views {

using trace::SlotState;

MeasureText measureText(Measure measure) {
    switch (measure) {
        case Measure::Confidence:
            return {"confidence", "probability of the shown token"};
        case Measure::Margin:
            return {
                "margin",
                "best candidate minus the second; of cosines where words are points, else of probabilities"};
        case Measure::Entropy:
            return {"entropy", "uncertainty over the vocabulary, in nats"};
        case Measure::Norm:
            return {"latent norm", "length of the word's estimated point"};
    }
    return {"", ""};
}

TimelineModel::TimelineModel(std::shared_ptr<const trace::Trace> trace)
    : trace_(std::move(trace)), marks_(*trace_) {
    const auto kind = trace_->meta.find("kind");
    empty_ = kind != trace_->meta.end() && kind->second == "autoregressive" ? "not yet written" : "masked";
    continuous_ = kind == trace_->meta.end() || kind->second == "continuous";
    for (const auto& [id, text] : trace_->pieces) pieces_.emplace(id, pieceText(text));
    const auto highest = [](const std::vector<float>& values) {
        float top = 0;
        for (const float v : values)
            if (std::isfinite(v)) top = std::max(top, v);
        return top > 0 ? top : 1.0F;
    };
    measureNorms();
    tops_[static_cast<std::size_t>(Measure::Norm)] = highest(norms_);
    tops_[static_cast<std::size_t>(Measure::Margin)] = highest(trace_->margin);
    tops_[static_cast<std::size_t>(Measure::Entropy)] = highest(trace_->entropy);
    countStatistics();
    measureDistance();
    scoreSteps();
}

float TimelineModel::value(Measure measure, int step, int slot) const {
    const auto& values = measure == Measure::Confidence ? trace_->confidence
                         : measure == Measure::Margin   ? trace_->margin
                         : measure == Measure::Norm     ? norms_
                                                        : trace_->entropy;
    const std::size_t cell = trace_->cell(step, slot);
    return cell < values.size() ? values[cell] : std::numeric_limits<float>::quiet_NaN();
}

const PieceText& TimelineModel::piece(std::uint32_t id) const {
    static const PieceText unknown{"\xE2\x80\xA6", false, true};
    const auto found = pieces_.find(id);
    return found == pieces_.end() ? unknown : found->second;
}

bool TimelineModel::holdsMask(int step, int slot) const {
    const SlotState what = state(step, slot);
    return what == SlotState::Masked || (what == SlotState::Remask && piece(token(step, slot)).special);
}

bool TimelineModel::isEdit(int step, int slot) const {
    switch (state(step, slot)) {
        case SlotState::Flip:
            return true;
        case SlotState::Remask:
            return step == 0 || token(step, slot) != token(step - 1, slot);
        case SlotState::New:
            return step > 0;  // the first estimate of a continuous model is not a change
        default:
            return false;
    }
}

void TimelineModel::countStatistics() {
    const auto count = static_cast<std::size_t>(steps());
    StepStatistics& s = statistics_;
    s.confidence.assign(count, 0);
    s.entropy.assign(count, 0);
    s.edits.assign(count, 0);
    s.masked.assign(count, 0);
    edits_.assign(static_cast<std::size_t>(slots()), 0);
    settled_.assign(static_cast<std::size_t>(slots()), 0);
    for (int step = 0; step < steps(); ++step) {
        const auto at = static_cast<std::size_t>(step);
        int written = 0;
        for (int slot = 0; slot < slots(); ++slot) {
            const SlotState what = state(step, slot);
            if (what == SlotState::Pad) continue;
            if (step > 0 || !continuous_ || what != SlotState::New)
                occurs_[static_cast<std::size_t>(what)] = true;
            if (!holdsMask(step, slot)) {  // of no word there is no confidence
                ++written;
                s.confidence[at] += value(Measure::Confidence, step, slot);
                s.entropy[at] += value(Measure::Entropy, step, slot);
            }
            const bool next = step + 1 < steps() && state(step + 1, slot) == SlotState::Remask &&
                              !holdsMask(step + 1, slot);
            s.masked[at] += holdsMask(step, slot) || next ? 1.0F : 0.0F;
            if (!isEdit(step, slot)) continue;
            s.edits[at] += 1;
            ++edits_[static_cast<std::size_t>(slot)];
            settled_[static_cast<std::size_t>(slot)] = step;
        }
        s.confidence[at] /= static_cast<float>(written);  // NaN where there is none
        s.entropy[at] /= static_cast<float>(written);
    }
}

void TimelineModel::measureDistance() {
    statistics_.distance.assign(static_cast<std::size_t>(steps()), std::numeric_limits<float>::quiet_NaN());
    const trace::Block* latent = trace_->block("latent");
    if (latent == nullptr || latent->shape.size() != 3) return;
    const auto width = static_cast<std::size_t>(slots()) * static_cast<std::size_t>(latent->shape[2]);
    if (width == 0 || latent->data.size() < width * static_cast<std::size_t>(steps())) return;
    for (int step = 1; step < steps(); ++step) {
        const float* now = latent->data.data() + static_cast<std::size_t>(step) * width;
        const float* before = now - width;
        double sum = 0;
        for (std::size_t i = 0; i < width; ++i)
            sum += static_cast<double>(now[i] - before[i]) * (now[i] - before[i]);
        statistics_.distance[static_cast<std::size_t>(step)] = static_cast<float>(std::sqrt(sum / slots()));
    }
}

void TimelineModel::measureNorms() {
    const trace::Block* latent = trace_->block("latent");
    if (latent == nullptr || latent->shape.size() != 3) return;
    const auto width = static_cast<std::size_t>(latent->shape[2]), cells = trace_->tokens.size();
    if (width == 0 || latent->data.size() < cells * width) return;
    for (std::size_t cell = 0; cell < cells; ++cell) {
        double sum = 0;
        for (std::size_t i = cell * width; i < (cell + 1) * width; ++i)
            sum += static_cast<double>(latent->data[i]) * latent->data[i];
        norms_.push_back(static_cast<float>(std::sqrt(sum)));
    }
}

std::optional<Edit> TimelineModel::findEdit(int step, int slot, bool forward) const {
    const int first = slot >= 0 ? slot : 0, last = slot >= 0 ? slot : slots() - 1;
    const int direction = forward ? 1 : -1;
    for (int at = step + direction; at >= 0 && at < steps(); at += direction)
        for (int n = first; n <= last; ++n)
            if (isEdit(at, n)) return Edit{at, n};
    return std::nullopt;
}

void TimelineModel::scoreSteps() {
    const std::string reference = trace_->metaText("reference");
    if (reference.empty()) return;
    std::string before;
    for (int step = 0; step < steps(); ++step) {
        const std::string text = textAt(step).toStdString();
        const bool same = step > 0 && text == before;  // late steps hardly change
        statistics_.bleu.push_back(same ? statistics_.bleu.back()
                                        : static_cast<float>(metrics::sentenceBleu(text, reference)));
        statistics_.chrf.push_back(same ? statistics_.chrf.back()
                                        : static_cast<float>(metrics::sentenceChrf(text, reference)));
        before = text;
    }
}

std::vector<RankLine> TimelineModel::rankFlow(int slot) const {
    std::unordered_map<std::uint32_t, RankLine> lines;
    const auto count = static_cast<std::size_t>(steps());
    if (trace_->topIds.size() < count * static_cast<std::size_t>(slots()) * trace::kTopCandidates) return {};
    for (int step = 0; step < steps(); ++step) {
        const std::size_t base = trace_->cell(step, slot) * trace::kTopCandidates;
        for (std::size_t k = 0; k < trace::kTopCandidates; ++k) {
            const float p = trace_->topProbability[base + k];
            if (p <= 0 && k > 0) break;  // fewer candidates were recorded
            RankLine& line = lines.try_emplace(trace_->topIds[base + k]).first->second;
            if (line.rank.empty()) {
                line.id = trace_->topIds[base + k];
                line.rank.assign(count, -1);
                line.probability.assign(count, 0);
            }
            line.rank[static_cast<std::size_t>(step)] = static_cast<std::int8_t>(k);
            line.probability[static_cast<std::size_t>(step)] = p;
        }
    }
    std::vector<std::pair<float, std::uint32_t>> weight;
    for (const auto& [id, line] : lines) {
        float sum = 0;
        for (const float p : line.probability) sum += p;
        weight.emplace_back(-sum, id);
    }
    std::sort(weight.begin(), weight.end());
    weight.resize(std::min<std::size_t>(weight.size(), trace::kTopCandidates));
    std::vector<RankLine> out;
    for (const auto& [sum, id] : weight) out.push_back(std::move(lines[id]));
    return out;
}

QString TimelineModel::textAt(int step) const {
    QString out;
    for (int slot = 0; slot < slots(); ++slot) {
        const PieceText& shown = piece(token(step, slot));
        if (shown.special || state(step, slot) == SlotState::Pad) continue;
        if (shown.wordStart && !out.isEmpty()) out += QLatin1Char(' ');
        out += QString::fromStdString(shown.text);
    }
    return out;
}

}  // namespace kurve::views
