#include "models/cmlm/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/check.h"
#include "core/sampling/length_candidates.h"
#include "core/text/tokenizer.h"
#include "core/train/candidate_judge.h"
#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/decoding_plan.h"
#include "models/cmlm/hand_edits.h"
#include "models/cmlm/isotropy.h"
#include "models/cmlm/trace_recorder.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"

namespace kurve::models::cmlm {
namespace {

using sampling::MaskedSentence;

constexpr float kNever = -1e9F;

/// Sources decoded together, with `beam` candidates each: row = source in the group * beam + candidate.
struct Group {
    std::vector<std::size_t> sources;       ///< numbers in the request
    std::vector<std::int32_t> lengths;      ///< [rows], BOS and EOS included
    std::vector<MaskedSentence> sentences;  ///< [rows]
    std::vector<std::uint8_t> done;         ///< [rows] stopped before the last pass
    std::vector<std::size_t> rows;          ///< those still decoded: all candidates of some sources
    Memory memory;                          ///< of these sources
    std::int64_t width = 0;                 ///< longest of these rows

    void measureWidth() {
        width = 0;
        for (const std::size_t row : rows) width = std::max<std::int64_t>(width, lengths[row]);
    }
};

/// The slots of a group that a pass is asked about, and where they lie in [Group::rows, width].
struct Asked {
    std::vector<std::pair<std::size_t, int>> slots;  ///< row, ordinary slot
    std::vector<std::int64_t> places;
};

class Run {
public:
    Run(CmlmNetImpl& net, const train::GenerateRequest& request, const DecodingPlan& plan,
        train::Generation& out)
        : net_(net), request_(request), plan_(plan), out_(out) {
        if (request.measure) meter_.emplace(net.embedding->weight, plan.aboveMargin, plan.passes.passes);
    }

    /// Fills out.rows of these sources; false if cancelled.
    Result<bool> decode(std::vector<std::size_t> sources, TraceRecorder* maybeRecorder,
                        trace::Trace* maybeTrace) {
        const auto [source, lengths] = padRows(request_.sources, sources, net_.device());
        const Encoded encoded = net_.encode(source, lengths, {});
        Group group = begin(std::move(sources), encoded.lengthLogits);
        group.memory = net_.remember(encoded);
        hand_.reset();
        if (!request_.edits.empty() && group.sources.front() == 0) {
            hand_.emplace(request_.edits, static_cast<std::size_t>(request_.candidate.value_or(0)));
            KURVE_CHECKED(hand_->check(group.lengths[hand_->row()]));
        }
        for (int pass = 0; pass < plan_.passes.passes; ++pass) {
            if (request_.cancel.requested()) return false;
            runPass(group, pass, maybeRecorder);
            if (std::all_of(group.done.begin(), group.done.end(), [](auto done) { return done != 0; })) break;
            if (plan_.stopUnchanged && !meter_ && maybeRecorder == nullptr) dropDone(group);
        }
        std::vector<std::int64_t> winners;
        for (std::size_t r = 0; r < group.sources.size(); ++r) {
            const std::int64_t best = winners.emplace_back(select(group, r));
            if (maybeRecorder != nullptr && r == 0)
                *maybeTrace =
                    maybeRecorder->finish(net_, {best, group.lengths[static_cast<std::size_t>(best)],
                                                 plan_.mask, plan_.banSpecials, plan_.passes.passes});
        }
        if (meter_) measure(group, std::move(winners));
        return true;
    }

    /// After the last group.
    void giveMeasures() {
        if (!meter_) return;
        const std::vector<IsotropyMeter::Measures> measures = meter_->take();
        for (std::size_t i = 0; i < measures.size(); ++i) {
            const auto [source, number] = measured_[i];
            train::GeneratedRow& row = out_.rows[source];
            for (train::Candidate& candidate : row.candidates)
                if (candidate.number == number) candidate.measures = measures[i];
            if (row.best.number == number) row.best.measures = measures[i];
        }
    }

private:
    Group begin(std::vector<std::size_t> sources, const at::Tensor& lengthLogits) const {
        Group group;
        group.sources = std::move(sources);
        const at::Tensor host = lengthLogits.to(at::kCPU, at::kFloat).contiguous();
        const auto classes = static_cast<std::size_t>(host.size(1));
        for (std::size_t r = 0; r < group.sources.size(); ++r)
            for (const std::int32_t length :
                 lengthsOf({host.const_data_ptr<float>() + r * classes, classes})) {
                group.lengths.push_back(length);
                group.sentences.emplace_back(length - 2, plan_.passes);
            }
        group.done.assign(group.lengths.size(), 0);
        group.rows.resize(group.lengths.size());
        std::iota(group.rows.begin(), group.rows.end(), std::size_t{0});
        group.measureWidth();
        return group;
    }

    /// Sources whose candidates have all stopped leave the batch. (A source with one that goes on stays
    /// whole: its candidates share keys and values.)
    void dropDone(Group& group) const {
        const auto beam = static_cast<std::size_t>(plan_.beam);
        std::vector<std::size_t> rows;
        std::vector<std::int64_t> sources;  // of the memory
        for (std::size_t i = 0; i < group.rows.size(); i += beam) {
            const auto first = group.done.begin() + static_cast<std::ptrdiff_t>(group.rows[i]);
            if (std::all_of(first, first + plan_.beam, [](auto done) { return done != 0; })) continue;
            sources.push_back(static_cast<std::int64_t>(i / beam));
            for (std::size_t c = 0; c < beam; ++c) rows.push_back(group.rows[i + c]);
        }
        if (rows.size() == group.rows.size()) return;
        models::select(group.memory, toDevice(std::span<const std::int64_t>(sources), net_.device()));
        group.rows = std::move(rows);
        group.measureWidth();
    }

    std::vector<std::int32_t> lengthsOf(std::span<const float> scores) const {
        const std::int64_t offset = net_.lengthOffset();
        if (plan_.likeliest) return sampling::likeliestLengths(scores, offset, plan_.beam, plan_.limits);
        const auto best = std::max_element(scores.begin(), scores.end()) - scores.begin();
        return sampling::windowLengths(std::max<std::int64_t>(2, best + offset), plan_.beam, plan_.limits);
    }

    void runPass(Group& group, int pass, TraceRecorder* maybeRecorder) {
        if (hand_) hand_->beforePass(group.sentences[hand_->row()], pass);
        if (maybeRecorder != nullptr) maybeRecorder->begin(group.sentences);
        const Asked asked = askedOf(group, pass);
        const bool measured = meter_ && meter_->wants(pass);
        at::Tensor features, below;
        if (maybeRecorder != nullptr) features = statesOf(group, *maybeRecorder);
        if (measured || (!features.defined() && !asked.places.empty())) below = belowLast(group);
        if (measured) kept_.emplace_back(pass + 1, below);
        if (!asked.places.empty())
            offer(group, asked,
                  features.defined() ? placesOf(features, asked)
                                     : net_.lastAt(below, liveLengths(group), group.memory, asked.places),
                  pass);
        if (hand_) hand_->afterPass(group.sentences[hand_->row()], pass);
        if (maybeRecorder != nullptr) maybeRecorder->record(features, group.sentences);
        for (std::size_t row = 0; row < group.sentences.size(); ++row) {
            if (group.done[row]) continue;
            group.sentences[row].endPass();
            group.done[row] = plan_.stopUnchanged && group.sentences[row].unchanged() ? 1 : 0;
        }
        if (maybeRecorder != nullptr) {
            maybeRecorder->end(group.sentences);
            showProgress(group, *maybeRecorder, pass + 1);
        }
    }

    std::vector<std::int32_t> liveLengths(const Group& group) const {
        std::vector<std::int32_t> lengths;
        for (const std::size_t row : group.rows) lengths.push_back(group.lengths[row]);
        return lengths;
    }

    /// [rows, width, H]
    at::Tensor statesOf(const Group& group, TraceRecorder& recorder) {
        ForwardPass forward;
        forward.decoding = true;
        forward.maybeTaps = &recorder.taps();
        ++out_.networkCalls;
        return net_.decode(idsOf(group), liveLengths(group), group.memory, forward);
    }

    at::Tensor belowLast(const Group& group) {
        ++out_.networkCalls;
        return net_.belowLast(idsOf(group), liveLengths(group), group.memory);
    }

    /// States [rows, width, H] at what is asked, [asked, H].
    [[nodiscard]] at::Tensor placesOf(const at::Tensor& states, const Asked& asked) const {
        return states.reshape({-1, states.size(2)})
            .index_select(0, toDevice(std::span<const std::int64_t>(asked.places), net_.device()));
    }

    /// What the last layer makes of `below` [rows, width, H]; zeros for BOS, EOS and padding, which
    /// similarity leaves out.
    [[nodiscard]] at::Tensor wordStates(const at::Tensor& below, const std::vector<std::int32_t>& lengths,
                                        const Memory& memory) {
        std::vector<std::int64_t> places;
        for (std::size_t i = 0; i < lengths.size(); ++i)
            for (std::int32_t slot = 1; slot + 1 < lengths[i]; ++slot)
                places.push_back(static_cast<std::int64_t>(i) * below.size(1) + slot);
        if (places.empty()) return at::zeros_like(below);
        const at::Tensor words = net_.lastAt(below, lengths, memory, places);
        return at::zeros_like(below)
            .view({-1, below.size(2)})
            .index_copy_(0, toDevice(std::span<const std::int64_t>(places), net_.device()), words)
            .view(below.sizes());
    }

    void showProgress(const Group& group, const TraceRecorder& recorder, int done) const {
        train::TraceFollower* const follower = request_.maybeFollower;
        if (follower == nullptr || !follower->wants(done)) return;
        const std::int64_t likeliest = plan_.likeliest ? 0 : plan_.beam / 2,
                           row = request_.candidate.value_or(likeliest);
        follower->show(recorder.finish(net_, {row, group.lengths[static_cast<std::size_t>(row)], plan_.mask,
                                              plan_.banSpecials, plan_.passes.passes}),
                       plan_.passes.passes);
    }

    /// What the decoder reads, [rows, width].
    at::Tensor idsOf(const Group& group) const {
        const auto width = static_cast<std::size_t>(group.width);
        std::vector<std::int64_t> ids(group.rows.size() * width, text::kPad);
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            const MaskedSentence& sentence = group.sentences[group.rows[i]];
            std::int64_t* to = ids.data() + i * width;
            *to++ = text::kBos;
            for (int slot = 0; slot < sentence.size(); ++slot)
                *to++ =
                    sentence.masked(slot) ? plan_.mask : sentence.tokens()[static_cast<std::size_t>(slot)];
            *to = text::kEos;
        }
        return toDevice(std::span<const std::int64_t>(ids), net_.device())
            .view({static_cast<std::int64_t>(group.rows.size()), group.width});
    }

    /// Not if a hand banned what stands there from this pass on: another token must take its place.
    bool mayStay(const Group& group, std::size_t row, int slot, int pass) const {
        return !hand_ || row != hand_->row() ||
               !hand_->bans(slot, group.sentences[row].tokens()[static_cast<std::size_t>(slot)], pass);
    }

    Asked askedOf(const Group& group, int pass) const {
        Asked asked;
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            const std::size_t row = group.rows[i];
            for (int slot = 0; slot < group.sentences[row].size() && !group.done[row]; ++slot) {
                if (!group.sentences[row].asks(slot) && mayStay(group, row, slot, pass)) continue;
                asked.slots.emplace_back(row, slot);
                asked.places.push_back(static_cast<std::int64_t>(i) * group.width + slot + 1);
            }
        }
        return asked;
    }

    /// `states` [asked, H]. One wait for the device.
    void offer(Group& group, const Asked& asked, const at::Tensor& states, int pass) {
        const at::Tensor logits = at::mm(states, net_.embedding->weight.t());
        if (plan_.banSpecials) banSpecials(logits, plan_.mask);
        for (std::size_t i = 0; hand_ && i < asked.slots.size(); ++i)
            if (asked.slots[i].first == hand_->row())
                hand_->eachBanned(asked.slots[i].second, pass, [&](std::int32_t token) {
                    logits[static_cast<std::int64_t>(i)][token].fill_(kNever);
                });
        const auto [best, ids] = logits.max(1);
        const at::Tensor logP = best - at::logsumexp(logits, 1),
                         both = at::stack({logP.to(at::kDouble), ids.to(at::kDouble)}).to(at::kCPU);
        const auto* data = both.const_data_ptr<double>();  // doubles hold the ids exactly
        for (std::size_t i = 0; i < asked.slots.size(); ++i)
            group.sentences[asked.slots[i].first].set(asked.slots[i].second,
                                                      static_cast<std::int32_t>(data[asked.slots.size() + i]),
                                                      static_cast<float>(data[i]));
    }

    /// Of those that are chosen (of five candidates four are never looked at); of all where another model has
    /// yet to choose.
    void measure(const Group& group, std::vector<std::int64_t> rows) {
        if (plan_.othersChoose) {
            rows.resize(group.lengths.size());
            std::iota(rows.begin(), rows.end(), std::int64_t{0});
        }
        MeasuredStates states;
        std::vector<at::Tensor> below;
        const at::Tensor which = toDevice(std::span<const std::int64_t>(rows), net_.device());
        for (const auto& [pass, kept] : kept_) {
            states.passes.push_back(pass);
            below.push_back(kept.index_select(0, which));
        }
        std::vector<std::int32_t> lengths, sourceWords, lengthsByPass;
        for (const std::int64_t row : rows) {
            const std::size_t source = group.sources[static_cast<std::size_t>(row / plan_.beam)];
            lengths.push_back(group.lengths[static_cast<std::size_t>(row)]);
            lengthsByPass.insert(lengthsByPass.end(), below.size(), lengths.back());
            sourceWords.push_back(static_cast<std::int32_t>(request_.sources[source].size()) - 2);
            measured_.emplace_back(source, row % plan_.beam);
        }
        states.features = wordStates(at::stack(below, 1).flatten(0, 1), lengthsByPass, group.memory);
        states.lengths = lengths;
        states.sourceWords = sourceWords;
        meter_->add(states);
        kept_.clear();
    }

    /// Orders the candidates of source r of the group; returns the row of the best.
    std::int64_t select(const Group& group, std::size_t r) {
        const auto beam = static_cast<std::size_t>(plan_.beam);
        std::vector<train::Candidate> candidates(beam);
        for (std::size_t c = 0; c < beam; ++c) {
            const MaskedSentence& sentence = group.sentences[r * beam + c];
            candidates[c].number = static_cast<std::int64_t>(c);
            for (const std::int32_t id : sentence.tokens())
                if (id != text::kBos && id != text::kEos && id != text::kPad) candidates[c].ids.push_back(id);
            candidates[c].score = sampling::candidateScore(sentence.scores(), plan_.passes.rule);
        }
        const bool followed = group.sources[r] == 0 && request_.candidate.has_value();
        const std::vector<std::size_t> order =
            bestFirst(candidates, followed ? request_.candidate : std::nullopt);
        train::GeneratedRow& row = out_.rows[group.sources[r]];
        for (const std::size_t c : order) row.candidates.push_back(std::move(candidates[c]));
        row.best = row.candidates.front();
        return static_cast<std::int64_t>(r * beam + order.front());
    }

    CmlmNetImpl& net_;
    const train::GenerateRequest& request_;
    const DecodingPlan& plan_;
    train::Generation& out_;
    std::optional<IsotropyMeter> meter_;
    std::vector<std::pair<int, at::Tensor>>
        kept_;  ///< what the last layer read in a pass (from 1) that is measured
    std::vector<std::pair<std::size_t, std::int64_t>>
        measured_;                   ///< source and candidate of the meter's rows
    std::optional<HandEdits> hand_;  ///< in the running group
};

Status checkAlphas(const CmlmNetImpl& net) {
    const std::vector<at::Tensor> alphas = net.alphas();
    for (std::size_t i = 0; i < alphas.size(); ++i)
        if (!std::isfinite(alphas[i].item<float>()))
            return workError("model.not_finite",
                             fmt::format("alpha of decoder layer {} is no number any more", i))
                .at(fmt::format("decoder_layer_{}.alpha", i))
                .fix("go back to an earlier checkpoint, with a lower train.lr");
    return {};
}

}  // namespace

void banSpecials(const at::Tensor& logits, std::int32_t maskId) {
    for (const std::int32_t id : {text::kBos, text::kPad, text::kEos, text::kMask, maskId})
        logits.select(1, id).fill_(kNever);
}

void rehearse(CmlmNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler,
              c10::Device device) {
    const std::int64_t beam = sampler.integer("sampler.length_beam"), width = longest.targetLength,
                       sources = std::clamp<std::int64_t>(rowsAtOnce(sampler, device.is_cpu()) / beam, 1,
                                                          longest.rows);
    const std::span lengths = std::span(longest.sourceLengths).first(static_cast<std::size_t>(sources));
    const Memory memory = net.remember(net.encode(longest.source.narrow(0, 0, sources), lengths, {}));
    const std::vector<std::int32_t> words(static_cast<std::size_t>(sources * beam),
                                          static_cast<std::int32_t>(width));
    std::vector<std::int64_t> places;
    for (std::int64_t row = 0; row < sources * beam; ++row)
        for (std::int64_t slot = 1; slot + 1 < width; ++slot) places.push_back(row * width + slot);
    const at::Tensor ids = at::zeros({sources * beam, width}, longest.target.options()),
                     below = net.belowLast(ids, words, memory),
                     logits = at::mm(net.lastAt(below, words, memory, places), net.embedding->weight.t());
    (void)at::logsumexp(logits, 1);
}

Result<train::Generation> generateWith(CmlmNetImpl& net, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::Trace* maybeTrace) {
    KURVE_CHECK(request.edits.empty() || maybeTrace != nullptr, "edits without a trace");
    KURVE_TRY(const DecodingPlan plan, planOf({net.places(), net.device().is_cpu()}, request, sampler));
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    KURVE_CHECKED(checkAlphas(net));
    train::Generation out;
    out.rows.resize(request.sources.size());
    Run run(net, request, plan, out);
    std::optional<TraceRecorder> recorder;
    if (maybeTrace != nullptr) recorder.emplace(request, plan.beam);
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(1, plan.rowsAtOnce / plan.beam));
    for (auto& sources : groupsByLength(request.sources, size)) {
        KURVE_TRY(const bool done,
                  run.decode(std::move(sources), recorder ? &*recorder : nullptr, maybeTrace));
        out.cancelled = !done;
        if (out.cancelled) break;
        recorder.reset();
    }
    run.giveMeasures();
    return out;
}

}  // namespace kurve::models::cmlm
