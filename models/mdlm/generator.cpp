#include "models/mdlm/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/sampling/semi_autoregressive.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/mdlm/step_recorder.h"
#include "models/mdlm/text_beginning.h"
#include "models/mdlm/token_draw.h"

namespace kurve::models::mdlm {
namespace {

using trace::Edit;
using trace::EditKind;

constexpr double kEnd = 1e-5;             // where MDLM's grid ends
constexpr std::int64_t kCells = 1 << 22;  // of one distribution [n, V]: 32 MB in f64

/// A step's times and its mask probabilities.
struct StepPlan {
    int step = 0;
    bool last = false;
    sampling::MaskingStep masking;
    double logSnr = 0;
};

/// Positions of a text that the network is asked about, and which of them the step unmasks.
struct Asked {
    MaskedText* text = nullptr;
    std::vector<int> positions, opened;
};

class Run {
public:
    Run(const TextGenerator& generator, const train::GenerateRequest& request,
        const SamplerSettings& settings, train::Generation& out, StepRecorder* maybeRecorder)
        : generator_(generator),
          net_(generator.net),
          request_(request),
          settings_(settings),
          out_(out),
          maybeRecorder_(maybeRecorder) {}

    /// False if cancelled.
    bool generate(std::span<MaskedText> texts) {
        steps_ = 1;
        for (MaskedText& text : texts) steps_ = std::max(steps_, text.steps = stepsFor(text));
        for (const MaskedText& text : texts)
            if (recorded(text)) maybeRecorder_->begin(text, steps_, maybeLayout(text));
        for (int step = 0; step < steps_; ++step) {
            if (request_.cancel.requested()) return false;
            if (maybeRecorder_ == nullptr && finished(texts)) break;
            runStep(texts, planOf(step, steps_));
        }
        if (!texts.empty() && recorded(texts.front())) maybeRecorder_->finish();
        return true;
    }

private:
    [[nodiscard]] std::shared_ptr<const TokenLayout> maybeLayout(const MaskedText& text) const {
        const auto length = static_cast<std::int32_t>(text.ids.size());
        TokenMap* map = net_.maybeMap();
        return map == nullptr ? nullptr : map->layout({&length, 1}, length, false);
    }

    /// A budget of one token a step needs no more steps than there are masks; the texts are the same.
    [[nodiscard]] int stepsFor(const MaskedText& text) const {
        if (settings_.rule != UnmaskingRule::Budget || settings_.block > 0) return settings_.steps;
        return std::clamp(static_cast<int>(text.maskedPositions().size()), 1, settings_.steps);
    }

    [[nodiscard]] bool recorded(const MaskedText& text) const {
        return maybeRecorder_ != nullptr && text.number == 0;
    }
    [[nodiscard]] bool remasks() const {
        return settings_.remasking.schedule != sampling::RemaskingSchedule::None &&
               settings_.remasking.eta > 0;
    }

    [[nodiscard]] bool finished(std::span<const MaskedText> texts) const {
        return request_.edits.empty() && !remasks() &&
               std::all_of(texts.begin(), texts.end(),
                           [](const MaskedText& text) { return text.maskedPositions().empty(); });
    }

    [[nodiscard]] double maskProbability(double t) const {
        if (settings_.remasking.schedule == sampling::RemaskingSchedule::Loop)
            return sampling::loopMaskProbability(settings_.remasking.loop, t);
        return generator_.process.at(std::max(t, 0.0)).maskProbability;
    }

    /// MDLM's grid: from t = 1 down to 1e-5 in equal parts.
    [[nodiscard]] StepPlan planOf(int step, int steps) const {
        const double dt = (1 - kEnd) / steps, t = 1 - step * dt;
        const double pt = maskProbability(t);
        return {step, step + 1 == steps, {t, pt, maskProbability(t - dt)}, std::log1p(-pt) - std::log(pt)};
    }

    void runStep(std::span<MaskedText> texts, const StepPlan& plan) {
        std::vector<Asked> asked;
        for (MaskedText& text : texts) {
            text.beginStep();
            for (const Edit& edit : editsOf(text))
                if (edit.kind == EditKind::Noise && edit.step == plan.step)
                    text.mask(text.first + edit.position);
            if (recorded(text)) maybeRecorder_->beginStep(text);
            Asked one = ask(text, plan);
            if (!one.positions.empty()) asked.push_back(std::move(one));
        }
        if (!asked.empty()) unmask(asked, plan);
        for (MaskedText& text : texts) {
            for (const Edit& edit : editsOf(text)) apply(edit, plan, text);
            if (!plan.last && remasks()) remask(text, plan);
            if (recorded(text)) maybeRecorder_->endStep(text, {plan.masking.t, plan.logSnr});
        }
    }

    [[nodiscard]] std::span<const Edit> editsOf(const MaskedText& text) const {
        return text.number == 0 ? std::span<const Edit>(request_.edits) : std::span<const Edit>();
    }

    static void apply(const Edit& edit, const StepPlan& plan, MaskedText& text) {
        if (edit.step != plan.step) return;
        if (edit.kind == EditKind::Force) text.unmask(text.first + edit.position, edit.token, 1);
        if (edit.kind == EditKind::Pin) text.fix(text.first + edit.position, edit.token);
    }

    /// What is open to the step: all, or the block that is being written.
    struct Region {
        std::vector<int> masked;
        int step = 0, steps = 1;  ///< within the region
    };
    [[nodiscard]] Region regionOf(const MaskedText& text, const StepPlan& plan) const {
        const int begin = text.first, end = static_cast<int>(text.ids.size());
        if (settings_.block == 0) return {text.maskedPositions(begin, end), plan.step, steps_};
        const auto blocks = sampling::positionBlocks(end - begin, settings_.block);
        const int count = std::min(static_cast<int>(blocks.size()), steps_);
        const auto at = sampling::blockStep(count, plan.step, steps_);
        const auto& block = blocks[static_cast<std::size_t>(at.block)];
        // With fewer steps than blocks the last takes the rest.
        const int until = at.block + 1 == count ? end : begin + block.end;
        return {text.maskedPositions(begin, until), at.step, at.steps};
    }

    Asked ask(MaskedText& text, const StepPlan& plan) const {
        const Region region = regionOf(text, plan);
        Asked asked{&text, region.masked, {}};
        if (settings_.opensBlindly()) asked.opened = openedBlindly(text, region, plan);
        if (settings_.opensBlindly() && !recorded(text)) asked.positions = asked.opened;
        if (recorded(text)) addForTrace(text, asked);
        return asked;
    }

    /// Masked positions that only the trace asks about.
    void addForTrace(const MaskedText& text, Asked& asked) const {
        if (settings_.opensBlindly()) asked.positions = asked.opened;
        std::vector<int> others, all;
        std::ranges::set_difference(text.maskedPositions(), asked.positions, std::back_inserter(others));
        others = maybeRecorder_->refreshed(text, std::move(others));
        std::ranges::sort(others);
        std::ranges::merge(asked.positions, others, std::back_inserter(all));
        asked.positions = std::move(all);
    }

    [[nodiscard]] std::vector<int> openedBlindly(const MaskedText& text, const Region& region,
                                                 const StepPlan& plan) const {
        if (plan.last) return region.masked;
        std::vector<int> opened;
        const std::uint64_t row = request_.firstRow + text.number;
        if (settings_.rule == UnmaskingRule::Budget) {
            RandomStream random(StreamId(request_.seed, fmt::format("sample.order/{}", row),
                                         static_cast<std::uint64_t>(plan.step)));
            for (const int i : sampling::randomChoice(
                     static_cast<int>(region.masked.size()),
                     sampling::evenBudget(static_cast<int>(region.masked.size()), region.step, region.steps),
                     random))
                opened.push_back(region.masked[static_cast<std::size_t>(i)]);
            return opened;
        }
        const double open = openProbability(region, plan);
        const StreamId stream(request_.seed, "sample.open", static_cast<std::uint64_t>(plan.step));
        for (const int position : region.masked)
            if (tensor::uniformAt(stream, row, static_cast<std::uint64_t>(position)) < open)
                opened.push_back(position);
        return opened;
    }

    [[nodiscard]] double openProbability(const Region& region, const StepPlan& plan) const {
        if (settings_.block == 0) return transition(plan).unmask;
        const double dt = (1 - kEnd) / region.steps, t = 1 - region.step * dt;
        return region.step + 1 == region.steps
                   ? 1
                   : sampling::unmaskProbability(maskProbability(t), maskProbability(t - dt));
    }

    [[nodiscard]] sampling::RemaskingTransition transition(const StepPlan& plan) const {
        return sampling::remaskingTransition(settings_.remasking, plan.masking);
    }

    /// Masks written tokens again, as ReMDM's schedule says; not those that this step unmasked.
    void remask(MaskedText& text, const StepPlan& plan) const {
        std::vector<int> written;
        for (const int position : text.written())
            if (text.changes[static_cast<std::size_t>(position)] ==
                static_cast<std::uint8_t>(trace::TokenState::Kept))
                written.push_back(position);
        const double sigma = transition(plan).remask;
        std::vector<double> probability(written.size(), sigma);
        if (settings_.remasking.schedule == sampling::RemaskingSchedule::Confidence) {
            std::vector<float> confidences;
            for (const int position : written)
                confidences.push_back(text.probability[static_cast<std::size_t>(position)]);
            probability = sampling::confidenceRemasking(sigma, confidences);
        }
        const StreamId stream(request_.seed, "sample.remask", static_cast<std::uint64_t>(plan.step));
        for (std::size_t i = 0; i < written.size(); ++i)
            if (tensor::uniformAt(stream, request_.firstRow + text.number,
                                  static_cast<std::uint64_t>(written[i])) < probability[i])
                text.mask(written[i]);
    }

    /// Asks the network about all of them and unmasks what the rule says.
    void unmask(std::vector<Asked>& asked, const StepPlan& plan) {
        const at::Tensor logits = logitsAt(asked, plan);
        std::int64_t from = 0;
        for (Asked& one : asked) {
            const auto count = static_cast<std::int64_t>(one.positions.size());
            unmaskText(one, logits.narrow(0, from, count), plan);
            from += count;
        }
    }

    void unmaskText(Asked& asked, const at::Tensor& logits, const StepPlan& plan) {
        MaskedText& text = *asked.text;
        std::vector<DrawnToken> drawn;
        const StreamId stream(request_.seed, "sample.token", static_cast<std::uint64_t>(plan.step));
        const std::int64_t chunk = std::max<std::int64_t>(1, kCells / logits.size(1));
        for (std::int64_t first = 0; first < logits.size(0); first += chunk) {
            const std::int64_t count = std::min(chunk, logits.size(0) - first);
            const std::vector<int> positions(asked.positions.begin() + first,
                                             asked.positions.begin() + first + count);
            const at::Tensor p = tokenDistribution(logits.narrow(0, first, count), settings_);
            if (recorded(text)) maybeRecorder_->addDistributions(text, positions, p);
            std::vector<DrawAddress> addresses;
            for (const int position : positions)
                addresses.push_back({request_.firstRow + text.number, static_cast<std::uint64_t>(position)});
            const auto some = drawTokens(p, settings_, stream, addresses);
            drawn.insert(drawn.end(), some.begin(), some.end());
        }
        if (!settings_.opensBlindly()) asked.opened = chosen(asked, drawn, plan);
        for (std::size_t i = 0; i < drawn.size(); ++i)
            if (std::binary_search(asked.opened.begin(), asked.opened.end(), asked.positions[i]))
                text.unmask(asked.positions[i], drawn[i].token, drawn[i].probability);
    }

    /// By what the network says of the positions in the step's region.
    [[nodiscard]] std::vector<int> chosen(const Asked& asked, const std::vector<DrawnToken>& drawn,
                                          const StepPlan& plan) const {
        const Region region = regionOf(*asked.text, plan);
        if (plan.last) return region.masked;
        std::vector<sampling::Certainty> certainties;
        for (std::size_t i = 0; i < drawn.size(); ++i)
            if (std::binary_search(region.masked.begin(), region.masked.end(), asked.positions[i]))
                certainties.push_back(drawn[i].certainty);
        std::vector<int> opened;
        for (const int i : ruled(certainties, region))
            opened.push_back(region.masked[static_cast<std::size_t>(i)]);
        return opened;
    }

    [[nodiscard]] std::vector<int> ruled(std::span<const sampling::Certainty> certainties,
                                         const Region& region) const {
        const int least =
            sampling::evenBudget(static_cast<int>(certainties.size()), region.step, region.steps);
        if (settings_.rule == UnmaskingRule::Budget)
            return sampling::mostCertain(certainties, settings_.order, least);
        // A block's last step ends it.
        if (region.step + 1 == region.steps)
            return sampling::mostCertain(certainties, settings_.order, least);
        return settings_.rule == UnmaskingRule::Threshold
                   ? sampling::aboveThreshold(certainties, settings_.order, settings_.threshold)
                   : sampling::entropyBounded(certainties, settings_.gamma);
    }

    /// [asked positions, V], bans included. One row per text that has any.
    at::Tensor logitsAt(const std::vector<Asked>& asked, const StepPlan& plan) {
        std::vector<std::vector<std::int32_t>> rows;
        for (const Asked& one : asked) rows.push_back(one.text->ids);
        std::vector<std::size_t> which(rows.size());
        std::iota(which.begin(), which.end(), std::size_t{0});
        const PaddedRows padded = padRows(rows, which, net_.device(), {generator_.rules.special.pad});
        const std::int64_t width = padded.ids.size(1);
        std::vector<std::int64_t> flat;
        for (std::size_t r = 0; r < asked.size(); ++r)
            for (const int position : asked[r].positions)
                flat.push_back(static_cast<std::int64_t>(r) * width + position);
        std::vector<float> sigmas;
        for (const Asked& one : asked) {  // at the time of the text's own steps, whatever is beside it
            const double pt = planOf(plan.step, one.text->steps).masking.pt;
            sigmas.push_back(static_cast<float>(-std::log1p(-std::min(pt, 1 - 1e-12))));
        }
        const at::Tensor sigma = toDevice(std::span<const float>(sigmas), net_.device()),
                         positions = toDevice(std::span<const std::int64_t>(flat), net_.device());
        ++out_.networkCalls;
        at::Tensor logits = net_.logits(statesAt(asked, padded, sigma, positions)).to(at::kFloat);
        ban(logits, asked, plan);
        return logits;
    }

    at::Tensor statesAt(const std::vector<Asked>& asked, const PaddedRows& rows, const at::Tensor& sigma,
                        const at::Tensor& positions) {
        const bool whole = recorded(*asked.front().text) && maybeRecorder_->needsStates();
        if (!whole) return net_.statesAt(rows.ids, sigma, rows.lengths, positions);
        ForwardPass pass;
        pass.decoding = true;
        pass.maybeCapture = &maybeRecorder_->capture();
        const at::Tensor states = net_.states(rows.ids, sigma, rows.lengths, pass);
        maybeRecorder_->addStates(*asked.front().text, states[0]);
        return states.reshape({-1, states.size(2)}).index_select(0, positions);
    }

    void ban(const at::Tensor& logits, const std::vector<Asked>& asked, const StepPlan& plan) const {
        constexpr double kNever = -1e9;
        const text::SpecialIds& special = generator_.rules.special;
        logits.select(1, special.mask).fill_(kNever);
        if (settings_.banSpecials) {
            for (const std::int32_t id : special.neverInText())
                if (id != special.pad || !generator_.rules.filled) logits.select(1, id).fill_(kNever);
            if (!generator_.rules.fixed) logits.select(1, special.eos).fill_(kNever);
        }
        std::int64_t row = 0;
        for (const Asked& one : asked)
            for (const int position : one.positions) {
                for (const Edit& edit : editsOf(*one.text))
                    if (edit.kind == EditKind::Ban && edit.actsAt(plan.step) &&
                        edit.position == position - one.text->first)
                        logits[row][edit.token].fill_(kNever);
                ++row;
            }
    }

    const TextGenerator& generator_;
    MdlmNetImpl& net_;
    const train::GenerateRequest& request_;
    const SamplerSettings& settings_;
    train::Generation& out_;
    StepRecorder* maybeRecorder_;
    int steps_ = 1;
};

/// Of the text: without <s>, <pad> and the last </s>. A line of a fixed canvas ends at its first </s>, and
/// running text has </s> inside, whatever else that token is.
train::Candidate candidateOf(const MaskedText& text, const CanvasRules& rules) {
    const text::SpecialIds& special = rules.special;
    train::Candidate candidate;
    double sum = 0, count = 0;
    bool ended = false;
    for (std::size_t i = static_cast<std::size_t>(text.first); i < text.ids.size(); ++i) {
        if (text.given[i] == 0) {
            sum += std::log(std::max(text.probability[i], 1e-30F));
            ++count;
        }
        const std::int32_t id = text.ids[i];
        const bool begins = i == static_cast<std::size_t>(text.first) && id == special.bos;
        ended = ended || (rules.filled && id == special.eos && !begins);
        const bool inside = id == special.eos || !special.isFrame(id);
        if (!ended && !begins && inside) candidate.ids.push_back(id);
    }
    while (!candidate.ids.empty() && candidate.ids.back() == special.eos) candidate.ids.pop_back();
    candidate.score = count > 0 ? sum / count : 0;
    return candidate;
}

Status checkRequest(const train::GenerateRequest& request, std::span<const MaskedText> texts) {
    if (request.candidate.value_or(0) != 0)
        return requestError("branch.candidate", fmt::format("there is no candidate {}", *request.candidate))
            .at("candidate")
            .fix("this family writes one");
    if (texts.empty()) return {};
    for (const Edit& edit : request.edits) {
        const auto positions = static_cast<int>(texts.front().ids.size()) - texts.front().first;
        const bool given = edit.position >= 0 && edit.position < positions &&
                           texts.front().given[static_cast<std::size_t>(texts.front().first) +
                                               static_cast<std::size_t>(edit.position)] != 0;
        if (edit.position >= 0 && edit.position < positions && !given) continue;
        return requestError("branch.position", fmt::format("position {} cannot be edited", edit.position))
            .at("position")
            .fix("choose a position that is generated");
    }
    return {};
}

}  // namespace

Result<train::Generation> generateWith(const TextGenerator& generator, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    const torch::NoGradGuard noGrad;
    const Evaluating evaluating(generator.net);
    KURVE_CHECKED(checkSampler(sampler));
    const SamplerSettings settings(sampler);
    KURVE_TRY(std::vector<MaskedText> texts, beginTexts(generator, request, settings.length));
    KURVE_CHECKED(checkRequest(request, texts));
    train::Generation out;
    out.rows.resize(texts.size());
    std::optional<StepRecorder> recorder;
    if (maybeTrace != nullptr) recorder.emplace(request, *maybeTrace, generator.net.outputTable());
    Run run(generator, request, settings, out, recorder ? &*recorder : nullptr);
    for (std::size_t first = 0; first < texts.size(); first += settings.batchSize) {
        const auto some = std::span(texts).subspan(first, std::min(settings.batchSize, texts.size() - first));
        if ((out.cancelled = !run.generate(some))) return out;
    }
    for (const MaskedText& text : texts) {
        train::GeneratedRow& row = out.rows[text.number];
        row.best = candidateOf(text, generator.rules);
        row.candidates = {row.best};
    }
    return out;
}

void dryRun(MdlmNetImpl& net, const Canvas& longest, const RunConfig& sampler, c10::Device device) {
    const torch::NoGradGuard noGrad;
    const std::int64_t rows = std::min(longest.ids.size(0), sampler.integer("sampler.batch_size")),
                       width = longest.ids.size(1);
    const at::Tensor ids = longest.ids.narrow(0, 0, rows),
                     sigma = at::zeros({rows}, ids.options().dtype(at::kFloat));
    const at::Tensor states = net.states(ids, sigma, {}, {}).reshape({rows * width, -1});
    const at::Tensor logits = net.logits(states);
    (void)at::softmax(
        logits.narrow(0, 0, std::min(rows * width, std::max<std::int64_t>(1, kCells / logits.size(1)))), 1,
        at::kDouble);
    (void)device;
}

}  // namespace kurve::models::mdlm
