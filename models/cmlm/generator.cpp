#include "models/cmlm/generator.h"

#include <torch/torch.h>

#include <algorithm>
#include <numeric>
#include <optional>

#include "core/base/check.h"
#include "core/train/reranker.h"
#include "models/cmlm/cmlm_fields.h"
#include "models/cmlm/decoding_plan.h"
#include "models/cmlm/isotropy.h"
#include "models/cmlm/mask_edits.h"
#include "models/cmlm/pass_recorder.h"
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
    CrossAttentionCache crossCache;         ///< of these sources
    std::int64_t width = 0;                 ///< longest of these rows

    void updateWidth() {
        width = 0;
        for (const std::size_t row : rows) width = std::max<std::int64_t>(width, lengths[row]);
    }
};

/// The positions of a group that a pass predicts.
struct PredictedPositions {
    std::vector<std::pair<std::size_t, int>> cells;  ///< row, ordinary position
    std::vector<std::int64_t> flat;                  ///< in [Group::rows, width]
};

class Run {
public:
    Run(CmlmNetImpl& net, const train::GenerateRequest& request, const DecodingPlan& plan,
        train::Generation& out)
        : net_(net), request_(request), plan_(plan), out_(out) {
        if (request.collectStatistics)
            meter_.emplace(net.embedding->weight, plan.aboveMargin, plan.passes.passes);
    }

    /// Fills out.rows of these sources; false if cancelled.
    Result<bool> decode(std::vector<std::size_t> sources, PassRecorder* maybeRecorder) {
        const auto [source, lengths] =
            padRows(request_.sources, sources, net_.device(), {net_.special().pad});
        const EncoderOutput encoded = net_.encode(source, lengths, {});
        Group group = begin(std::move(sources), encoded.lengthLogits);
        group.crossCache = net_.precomputeCrossAttention(encoded);
        edits_.reset();
        if (!request_.edits.empty() && group.sources.front() == 0) {
            edits_.emplace(request_.edits, static_cast<std::size_t>(request_.candidate.value_or(0)));
            KURVE_CHECKED(edits_->check(group.lengths[edits_->row()]));
        }
        if (maybeRecorder != nullptr)
            maybeRecorder->begin({net_, group.lengths, plan_.likeliest ? 0 : plan_.beam / 2});
        for (int pass = 0; pass < plan_.passes.passes; ++pass) {
            if (request_.cancel.requested()) return false;
            runPass(group, pass, maybeRecorder);
            if (std::all_of(group.done.begin(), group.done.end(), [](auto done) { return done != 0; })) break;
            if (plan_.stopUnchanged && !meter_ && maybeRecorder == nullptr) dropFinished(group);
        }
        std::vector<std::int64_t> winners;
        for (std::size_t r = 0; r < group.sources.size(); ++r) {
            const std::int64_t best = winners.emplace_back(select(group, r));
            if (maybeRecorder != nullptr && r == 0) maybeRecorder->finish(best);
        }
        if (meter_) addStates(group, std::move(winners));
        return true;
    }

    /// After the last group.
    void addSampleStatistics() {
        if (!meter_) return;
        const std::vector<IsotropyMeter::Statistics> statistics = meter_->take();
        for (std::size_t i = 0; i < statistics.size(); ++i) {
            const auto [source, number] = measuredCandidates_[i];
            train::GeneratedRow& row = out_.rows[source];
            for (train::Candidate& candidate : row.candidates)
                if (candidate.number == number) candidate.sampleStatistics = statistics[i];
            if (row.best.number == number) row.best.sampleStatistics = statistics[i];
        }
    }

private:
    Group begin(std::vector<std::size_t> sources, const at::Tensor& lengthLogits) const {
        Group group;
        group.sources = std::move(sources);
        const at::Tensor host = lengthLogits.to(at::kCPU, at::kFloat).contiguous();
        const auto classes = static_cast<std::size_t>(host.size(1));
        for (std::size_t r = 0; r < group.sources.size(); ++r)
            for (const std::int32_t length : candidateLengths(
                     plan_, net_.lengthOffset(), {host.const_data_ptr<float>() + r * classes, classes})) {
                group.lengths.push_back(length);
                group.sentences.emplace_back(length - 2, plan_.passes);
            }
        group.done.assign(group.lengths.size(), 0);
        group.rows.resize(group.lengths.size());
        std::iota(group.rows.begin(), group.rows.end(), std::size_t{0});
        group.updateWidth();
        return group;
    }

    /// Removes sources whose candidates have all stopped. (A source with one that has not stays whole: its
    /// candidates share keys and values.)
    void dropFinished(Group& group) const {
        const auto beam = static_cast<std::size_t>(plan_.beam);
        std::vector<std::size_t> rows;
        std::vector<std::int64_t> sources;  // of crossCache
        for (std::size_t i = 0; i < group.rows.size(); i += beam) {
            const auto first = group.done.begin() + static_cast<std::ptrdiff_t>(group.rows[i]);
            if (std::all_of(first, first + plan_.beam, [](auto done) { return done != 0; })) continue;
            sources.push_back(static_cast<std::int64_t>(i / beam));
            for (std::size_t c = 0; c < beam; ++c) rows.push_back(group.rows[i + c]);
        }
        if (rows.size() == group.rows.size()) return;
        selectRows(group.crossCache, toDevice(std::span<const std::int64_t>(sources), net_.device()));
        group.rows = std::move(rows);
        group.updateWidth();
    }

    void runPass(Group& group, int pass, PassRecorder* maybeRecorder) {
        if (edits_) edits_->beforePass(group.sentences[edits_->row()], pass);
        if (maybeRecorder != nullptr) maybeRecorder->beginPass(group.sentences);
        const PredictedPositions predicted = predictedPositions(group, pass);
        const bool measured = meter_ && IsotropyMeter::collects(pass);
        at::Tensor features, penultimate;
        if (maybeRecorder != nullptr) features = statesOf(group, *maybeRecorder);
        if (measured || (!features.defined() && !predicted.flat.empty()))
            penultimate = penultimateStates(group);
        if (measured) passStates_.emplace_back(pass + 1, penultimate);
        if (!predicted.flat.empty())
            setPredictions(group, predicted,
                           features.defined() ? statesAt(features, predicted)
                                              : net_.finalLayerAtPositions(penultimate, liveLengths(group),
                                                                           group.crossCache, predicted.flat),
                           pass);
        if (edits_) edits_->afterPass(group.sentences[edits_->row()], pass);
        if (maybeRecorder != nullptr) maybeRecorder->record(features, group.sentences);
        for (std::size_t row = 0; row < group.sentences.size(); ++row) {
            if (group.done[row]) continue;
            group.sentences[row].endPass();
            group.done[row] = plan_.stopUnchanged && group.sentences[row].unchanged() ? 1 : 0;
        }
        if (maybeRecorder != nullptr) maybeRecorder->endPass(group.sentences);
    }

    std::vector<std::int32_t> liveLengths(const Group& group) const {
        std::vector<std::int32_t> lengths;
        for (const std::size_t row : group.rows) lengths.push_back(group.lengths[row]);
        return lengths;
    }

    /// [rows, width, H]
    at::Tensor statesOf(const Group& group, PassRecorder& recorder) {
        ForwardPass forward;
        forward.decoding = true;
        forward.maybeCapture = &recorder.capture();
        ++out_.networkCalls;
        return net_.decode(idsOf(group), liveLengths(group), group.crossCache, forward);
    }

    at::Tensor penultimateStates(const Group& group) {
        ++out_.networkCalls;
        return net_.penultimateStates(idsOf(group), liveLengths(group), group.crossCache);
    }

    /// States [rows, width, H] at the predicted positions, [predicted, H].
    [[nodiscard]] at::Tensor statesAt(const at::Tensor& states, const PredictedPositions& predicted) const {
        return states.reshape({-1, states.size(2)})
            .index_select(0, toDevice(std::span<const std::int64_t>(predicted.flat), net_.device()));
    }

    /// The last layer's output from `penultimate` [rows, width, H]; zeros for BOS, EOS and padding, which
    /// similarity leaves out.
    [[nodiscard]] at::Tensor finalStates(const at::Tensor& penultimate,
                                         const std::vector<std::int32_t>& lengths,
                                         const CrossAttentionCache& crossCache) {
        std::vector<std::int64_t> positions;
        for (std::size_t i = 0; i < lengths.size(); ++i)
            for (std::int32_t position = 1; position + 1 < lengths[i]; ++position)
                positions.push_back(static_cast<std::int64_t>(i) * penultimate.size(1) + position);
        if (positions.empty()) return at::zeros_like(penultimate);
        const at::Tensor states = net_.finalLayerAtPositions(penultimate, lengths, crossCache, positions);
        return at::zeros_like(penultimate)
            .view({-1, penultimate.size(2)})
            .index_copy_(0, toDevice(std::span<const std::int64_t>(positions), net_.device()), states)
            .view(penultimate.sizes());
    }

    /// The input of the decoder, [rows, width].
    at::Tensor idsOf(const Group& group) const {
        const auto width = static_cast<std::size_t>(group.width);
        std::vector<std::int64_t> ids(group.rows.size() * width, net_.special().pad);
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            const MaskedSentence& sentence = group.sentences[group.rows[i]];
            std::int64_t* to = ids.data() + i * width;
            *to++ = net_.special().bos;
            for (int position = 0; position < sentence.size(); ++position)
                *to++ = sentence.masked(position) ? plan_.mask
                                                  : sentence.tokens()[static_cast<std::size_t>(position)];
            *to = net_.special().eos;
        }
        return toDevice(std::span<const std::int64_t>(ids), net_.device())
            .view({static_cast<std::int64_t>(group.rows.size()), group.width});
    }

    /// Not if an edit bans the token there from this pass on: another one must be predicted.
    bool mayKeep(const Group& group, std::size_t row, int position, int pass) const {
        return !edits_ || row != edits_->row() ||
               !edits_->bans(position, group.sentences[row].tokens()[static_cast<std::size_t>(position)],
                             pass);
    }

    PredictedPositions predictedPositions(const Group& group, int pass) const {
        PredictedPositions predicted;
        for (std::size_t i = 0; i < group.rows.size(); ++i) {
            const std::size_t row = group.rows[i];
            for (int position = 0; position < group.sentences[row].size() && !group.done[row]; ++position) {
                if (!group.sentences[row].isPredicted(position) && mayKeep(group, row, position, pass))
                    continue;
                predicted.cells.emplace_back(row, position);
                predicted.flat.push_back(static_cast<std::int64_t>(i) * group.width + position + 1);
            }
        }
        return predicted;
    }

    /// `states` [predicted, H]. One wait for the device.
    void setPredictions(Group& group, const PredictedPositions& predicted, const at::Tensor& states,
                        int pass) {
        const at::Tensor logits = at::mm(states, net_.embedding->weight.t());
        if (plan_.banSpecials) banSpecials(logits, net_.special(), plan_.mask);
        for (std::size_t i = 0; edits_ && i < predicted.cells.size(); ++i)
            if (predicted.cells[i].first == edits_->row())
                edits_->eachBanned(predicted.cells[i].second, pass, [&](std::int32_t token) {
                    logits[static_cast<std::int64_t>(i)][token].fill_(kNever);
                });
        const auto [best, ids] = logits.max(1);
        const at::Tensor logP = best - at::logsumexp(logits, 1),
                         both = at::stack({logP.to(at::kDouble), ids.to(at::kDouble)}).to(at::kCPU);
        const auto* data = both.const_data_ptr<double>();  // doubles hold the ids exactly
        for (std::size_t i = 0; i < predicted.cells.size(); ++i)
            group.sentences[predicted.cells[i].first].set(
                predicted.cells[i].second, static_cast<std::int32_t>(data[predicted.cells.size() + i]),
                static_cast<float>(data[i]));
    }

    /// Of the selected candidates; of all if another model selects later.
    void addStates(const Group& group, std::vector<std::int64_t> rows) {
        if (plan_.reranked) {
            rows.resize(group.lengths.size());
            std::iota(rows.begin(), rows.end(), std::int64_t{0});
        }
        CandidateStates states;
        std::vector<at::Tensor> penultimate;
        const at::Tensor which = toDevice(std::span<const std::int64_t>(rows), net_.device());
        for (const auto& [pass, kept] : passStates_) {
            states.passes.push_back(pass);
            penultimate.push_back(kept.index_select(0, which));
        }
        std::vector<std::int32_t> lengths, sourceTokens, lengthsByPass;
        for (const std::int64_t row : rows) {
            const std::size_t source = group.sources[static_cast<std::size_t>(row / plan_.beam)];
            lengths.push_back(group.lengths[static_cast<std::size_t>(row)]);
            lengthsByPass.insert(lengthsByPass.end(), penultimate.size(), lengths.back());
            sourceTokens.push_back(static_cast<std::int32_t>(request_.sources[source].size()) - 2);
            measuredCandidates_.emplace_back(source, row % plan_.beam);
        }
        states.features =
            finalStates(at::stack(penultimate, 1).flatten(0, 1), lengthsByPass, group.crossCache);
        states.lengths = lengths;
        states.sourceTokens = sourceTokens;
        meter_->add(states);
        passStates_.clear();
    }

    /// Orders the candidates of source r of the group; returns the row of the best.
    std::int64_t select(const Group& group, std::size_t r) {
        const auto beam = static_cast<std::size_t>(plan_.beam);
        std::vector<train::Candidate> candidates(beam);
        for (std::size_t c = 0; c < beam; ++c) {
            const MaskedSentence& sentence = group.sentences[r * beam + c];
            candidates[c].number = static_cast<std::int64_t>(c);
            for (const std::int32_t id : sentence.tokens())
                if (!net_.special().isFrame(id)) candidates[c].ids.push_back(id);
            candidates[c].score = sampling::candidateScore(sentence.scores(), plan_.passes.rule);
        }
        const bool hasRequested = group.sources[r] == 0 && request_.candidate.has_value();
        const std::vector<std::size_t> order =
            bestFirst(candidates, hasRequested ? request_.candidate : std::nullopt);
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
        passStates_;  ///< the last layer's input in a measured pass (from 1)
    std::vector<std::pair<std::size_t, std::int64_t>>
        measuredCandidates_;          ///< source and candidate of the meter's rows
    std::optional<MaskEdits> edits_;  ///< of the current group
};

}  // namespace

void banSpecials(const at::Tensor& logits, const text::SpecialIds& special, std::int32_t maskId) {
    for (const std::int32_t id : {special.bos, special.pad, special.eos, special.mask, maskId})
        logits.select(1, id).fill_(kNever);
}

void dryRun(CmlmNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler,
            c10::Device device) {
    const std::int64_t beam = sampler.integer("sampler.length_beam"), width = longest.targetLength,
                       sources = std::clamp<std::int64_t>(rowsAtOnce(sampler, device.is_cpu()) / beam, 1,
                                                          longest.rows);
    const std::span lengths = std::span(longest.sourceLengths).first(static_cast<std::size_t>(sources));
    const CrossAttentionCache crossCache =
        net.precomputeCrossAttention(net.encode(longest.source.narrow(0, 0, sources), lengths, {}));
    const std::vector<std::int32_t> words(static_cast<std::size_t>(sources * beam),
                                          static_cast<std::int32_t>(width));
    std::vector<std::int64_t> positions;
    for (std::int64_t row = 0; row < sources * beam; ++row)
        for (std::int64_t position = 1; position + 1 < width; ++position)
            positions.push_back(row * width + position);
    const at::Tensor ids = at::zeros({sources * beam, width}, longest.target.options()),
                     penultimate = net.penultimateStates(ids, words, crossCache),
                     logits = at::mm(net.finalLayerAtPositions(penultimate, words, crossCache, positions),
                                     net.embedding->weight.t());
    (void)at::logsumexp(logits, 1);
}

Result<train::Generation> generateWith(CmlmNetImpl& net, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    KURVE_CHECK(request.edits.empty() || maybeTrace != nullptr, "edits without a trace");
    KURVE_TRY(const DecodingPlan plan,
              planOf({net.maxPositions(), net.device().is_cpu(), net.special()}, request, sampler));
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    KURVE_CHECKED(net.checkAlphas());
    train::Generation out;
    out.rows.resize(request.sources.size());
    Run run(net, request, plan, out);
    std::optional<PassRecorder> recorder;
    if (maybeTrace != nullptr)
        recorder.emplace(request, *maybeTrace,
                         PassRecorder::Setup{plan.beam, plan.passes.passes, plan.mask, plan.banSpecials});
    const auto size = static_cast<std::size_t>(std::max<std::int64_t>(1, plan.rowsAtOnce / plan.beam));
    for (auto& sources : groupsByLength(request.sources, size)) {
        KURVE_TRY(const bool done, run.decode(std::move(sources), recorder ? &*recorder : nullptr));
        out.cancelled = !done;
        if (out.cancelled) break;
        recorder.reset();
    }
    run.addSampleStatistics();
    return out;
}

}  // namespace kurve::models::cmlm
