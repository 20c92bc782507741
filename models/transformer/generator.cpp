#include "models/transformer/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/common/trace_recorder.h"
#include "models/transformer/autoregressive_decoder.h"

namespace kurve::models::transformer {
namespace {

using trace::TokenState;

/// What is known of a text of the request, BOS included.
std::vector<std::int32_t> knownOf(const AutoregressiveNet& net, const train::GenerateRequest& request,
                                  std::size_t number) {
    return request.templates.empty() ? std::vector{net.special().bos} : request.templates[number].ids;
}

/// A family of texts without a source has no such field.
double lengthFactor(const RunConfig& sampler) {
    return sampler.has("sampler.max_length_a") ? sampler.real("sampler.max_length_a") : 0;
}

Result<DecoderSettings> settingsOf(const AutoregressiveNet& net, const train::GenerateRequest& request,
                                   const RunConfig& sampler) {
    DecoderSettings settings;
    settings.beam = sampler.integer("sampler.beam");
    settings.minLength = sampler.integer("sampler.min_length");
    settings.lengthPenalty = sampler.real("sampler.length_penalty");
    settings.lengthFactor = lengthFactor(sampler);
    settings.lengthOffset = sampler.integer("sampler.max_length_b");
    settings.temperature = sampler.real("sampler.temperature");
    settings.topK = sampler.integer("sampler.top_k");
    settings.topP = sampler.real("sampler.top_p");
    settings.sampling = sampler.text("sampler.method") == "sample";
    settings.seed = request.seed;
    settings.firstRow = request.firstRow;
    settings.endsAtEos = net.endsAtEos();
    const std::int64_t room = net.room(/*known=*/1);
    if (settings.minLength > room)
        return requestError("sample.min_length",
                            fmt::format("{} tokens at least, but the model generates at most {}",
                                        settings.minLength, room))
            .at("sampler.min_length")
            .fix("decrease sampler.min_length");
    KURVE_CHECK(request.templates.empty() || request.templates.size() == request.sources.size(),
                "{} templates, {} sources", request.templates.size(), request.sources.size());
    KURVE_CHECKED(net.check(request));
    return settings;
}

constexpr std::int64_t kCells = 1 << 22;  // of one distribution [n, V]

/// Records one finished text by a teacher-forced pass: each token given those before it. Positions are BOS,
/// the tokens, EOS; step i generates position known + i, or as many from known + i n on as a state predicts.
/// Candidates and certainties of a position are in the step that generates it and in all later ones.
class TextRecorder {
public:
    TextRecorder(AutoregressiveNet& net, const train::GenerateRequest& request, trace::TraceSink& sink)
        : net_(net),
          request_(request),
          recorder_(request, sink),
          known_(static_cast<int>(knownOf(net, request, 0).size())) {}

    void record(const std::vector<std::int32_t>& ids) {
        text_ = {net_.special().bos};
        text_.insert(text_.end(), ids.begin(), ids.end());
        text_.push_back(net_.special().eos);
        readDistributions();
        const auto each = static_cast<int>(net_.tokensPerState());
        const int generated = static_cast<int>(text_.size()) - known_, steps = (generated + each - 1) / each;
        recorder_.begin(steps);
        recorder_.frame().outerLength = static_cast<int>(text_.size());
        for (int step = 0; step < steps; ++step) {
            const int first = known_ + step * each,
                      last = known_ + std::min(generated, (step + 1) * each) - 1;
            addCells(first, last);
            for (const auto& [name, value] : recorder_.capture().tensors)
                recorder_.addLayer(name, upTo(last, value[0]));
            recorder_.endFrame(static_cast<int>(text_.size()),
                               {1 - static_cast<double>(step + 1) / steps,
                                std::numeric_limits<double>::quiet_NaN(), first, 0});
        }
    }

private:
    /// Of the generated tokens.
    void readDistributions() {
        ForwardPass pass;
        pass.maybeCapture = &recorder_.capture();
        const std::vector<std::size_t> first{0};
        auto [source, lengths] = padRows(request_.sources, first, net_.device(), net_.sourcePadding());
        const at::Tensor target = toDevice(std::span<const std::int64_t>(text_), net_.device()).unsqueeze(0);
        const TeacherForced batch{
            source, target, std::move(lengths), {static_cast<std::int32_t>(text_.size()) - 1}};
        const at::Tensor states = net_.decodingStates(batch, known_, pass);
        const std::int64_t end = states.size(1);
        const std::int64_t most = std::max<std::int64_t>(1, kCells / net_.outputTable().size(0));
        for (std::int64_t from = known_ - 1; from < end; from += most) {
            const at::Tensor logP =
                at::log_softmax(net_.logits(states.narrow(1, from, std::min(most, end - from)))[0], -1);
            addDistributions(generated_, logP);
            const auto tokens = std::span<const std::int64_t>(text_).subspan(
                static_cast<std::size_t>(from) + 1, static_cast<std::size_t>(logP.size(0)));
            const at::Tensor chosen = logP.gather(1, toDevice(tokens, logP.device()).unsqueeze(1));
            for (const float p : floatsOf(chosen.exp())) probability_.push_back(p);
        }
    }

    /// After the positions from `first` to `last` were generated.
    void addCells(int first, int last) {
        constexpr auto kTop = static_cast<std::size_t>(trace::kTopCandidates);
        trace::Trace& frame = recorder_.frame();
        for (int position = 0; position < static_cast<int>(text_.size()); ++position) {
            const bool given = position < known_, real = position <= last, predicted = real && !given;
            const auto n = static_cast<std::size_t>(std::max(0, position - known_));
            frame.tokens.push_back(static_cast<std::uint32_t>(real ? text_[static_cast<std::size_t>(position)]
                                                                   : std::int64_t{net_.special().mask}));
            frame.state.push_back(static_cast<std::uint8_t>(given               ? TokenState::Given
                                                            : !real             ? TokenState::Masked
                                                            : position >= first ? TokenState::New
                                                                                : TokenState::Kept));
            frame.confidence.push_back(given ? 1 : real ? probability_[n] : 0);
            frame.entropy.push_back(predicted ? generated_.entropy[n] : 0);
            frame.margin.push_back(given ? 1 : real ? generated_.margin[n] : 0);
            for (std::size_t k = 0; k < kTop; ++k) {
                frame.topIds.push_back(predicted ? generated_.topIds[n * kTop + k] : frame.tokens.back());
                frame.topProbability.push_back(predicted ? generated_.topProbability[n * kTop + k]
                                                         : (given && k == 0 ? 1.0F : 0.0F));
            }
        }
    }

    /// hidden [L, H] -> [N, H], attention [heads, L, L] -> [heads, N, N]: position j has the state that
    /// predicted it, and zeros from `last` + 1 on.
    [[nodiscard]] static at::Tensor upTo(int last, const at::Tensor& value) {
        const at::Tensor known = value.narrow(-2, 0, last);
        const std::int64_t after = value.size(-2) - last;
        return at::constant_pad_nd(known, {value.dim() == 3 ? 1 : 0, 0, 1, after}, 0);
    }

    AutoregressiveNet& net_;
    const train::GenerateRequest& request_;
    TraceRecorder recorder_;
    int known_;  ///< tokens that are given, BOS included
    std::vector<std::int64_t> text_;
    trace::Trace generated_;          ///< cells of the generated positions
    std::vector<float> probability_;  ///< of the generated tokens
};

TextGroup groupOf(const AutoregressiveNet& net, const train::GenerateRequest& request,
                  std::vector<std::size_t> numbers) {
    auto padded = padRows(request.sources, numbers, net.device(), net.sourcePadding());
    TextGroup group{std::move(numbers), padded.ids, std::move(padded.lengths), {}};
    for (const std::size_t number : group.numbers) group.known.push_back(knownOf(net, request, number));
    return group;
}

/// Numbers of the texts in groups of at most `size`: similar lengths together, and what is known of them of
/// one length; text 0 first in the first group.
std::vector<std::vector<std::size_t>> groupsOf(const AutoregressiveNet& net,
                                               const train::GenerateRequest& request, std::size_t size) {
    auto rows = request.sources;
    const auto known = [&](std::size_t number) { return knownOf(net, request, number).size(); };
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].resize(rows[i].size() + known(i));
    std::vector<std::vector<std::size_t>> groups;
    for (const auto& similar : groupsByLength(rows, size))
        for (std::size_t i = 0; i < similar.size(); ++i) {
            if (i == 0 || known(similar[i]) != known(similar[i - 1])) groups.emplace_back();
            groups.back().push_back(similar[i]);
        }
    return groups;
}

train::GeneratedRow rowOf(const std::vector<std::int32_t>& known, std::vector<Hypothesis> texts) {
    train::GeneratedRow row;
    for (Hypothesis& text : texts) {
        const auto number = static_cast<std::int64_t>(row.candidates.size());
        text.ids.insert(text.ids.begin(), known.begin() + 1, known.end());
        row.candidates.push_back({std::move(text.ids), text.score, number});
    }
    if (!row.candidates.empty()) row.best = row.candidates.front();
    return row;
}

/// Tokens that are given, BOS included, that are generated at most, and in one step.
struct TextRoom {
    int known = 0;
    std::int64_t longest = 0;
    int tokensPerStep = 1;
};

/// Errors: branch.position, branch.token.
Status checkEdit(const trace::Edit& edit, const TextRoom& room, const text::SpecialIds& special) {
    const auto [known, longest, each] = room;
    const int at = edit.position - known, step = at / each;
    const bool once = edit.kind == trace::EditKind::Force;
    if (at < 0 || step < edit.step || (once && step != edit.step))
        return requestError("branch.position",
                            edit.position == 0 ? std::string("position 0 is BOS")
                            : at < 0           ? fmt::format("position {} is given", edit.position)
                                               : fmt::format("position {} is generated in step {}, not {}",
                                                             edit.position, step + 1, edit.step + 1))
            .at("position")
            .fix(fmt::format("choose position {}, {} of step {}; pin and ban also take a later one",
                             edit.step * each + known, each == 1 ? "the one" : "the first", edit.step + 1));
    if (at >= longest)
        return requestError("branch.position", "the position is beyond the greatest length").at("position");
    for (const std::int32_t never : special.neverInText())
        if (edit.kind != trace::EditKind::Ban && edit.token == never)
            return requestError("branch.token", "PAD, BOS and the mask cannot be generated").at("token");
    return {};
}

/// Decodes text 0 with edits: at each edited step, decoding continues from the tokens before it.
class EditedDecoding {
public:
    EditedDecoding(AutoregressiveDecoder& decoder, const train::GenerateRequest& request, TextGroup group)
        : decoder_(decoder),
          request_(request),
          group_(std::move(group)),
          known_(static_cast<int>(group_.known.front().size())),
          edits_(request.edits) {
        std::stable_sort(edits_.begin(), edits_.end(),
                         [](const trace::Edit& a, const trace::Edit& b) { return a.position < b.position; });
    }
    /// The candidates, the edited one first; empty if cancelled. `text`: that one without edits. Errors:
    /// branch.position, branch.token.
    Result<std::vector<Hypothesis>> decode(Hypothesis text) {
        const TextRoom room{known_, decoder_.maxLength(group_, 0), decoder_.tokensPerState()};
        for (const trace::Edit& edit : edits_) KURVE_CHECKED(checkEdit(edit, room, decoder_.special()));
        std::vector<Hypothesis> all{std::move(text)};
        for (std::size_t i = 0; i < edits_.size();) {
            const int at = stepOf(edits_[i]);
            Constraint constraint;
            const auto& before = all.front().ids;
            const bool reached = static_cast<std::size_t>(at) <= before.size();
            constraint.prefix.assign(before.begin(), before.begin() + (reached ? at : 0));
            constraint.sample = all.front().sample;
            for (; i < edits_.size() && stepOf(edits_[i]) == at; ++i) add(edits_[i], constraint);
            if (!reached) continue;  // the text ends before that position
            decoder_.setConstraint(&constraint);
            auto generated = decoder_.decode(group_, request_.cancel);
            decoder_.setConstraint(nullptr);
            if (generated.empty()) return std::vector<Hypothesis>{};
            all = std::move(generated.front());
            std::stable_partition(all.begin(), all.end(),
                                  [&](const Hypothesis& one) { return one.sample == constraint.sample; });
        }
        return all;
    }

private:
    /// The step that generates the edited position.
    [[nodiscard]] int stepOf(const trace::Edit& edit) const { return edit.position - known_; }
    /// Later edits of a position replace the earlier ones.
    void add(const trace::Edit& edit, Constraint& constraint) const {
        if (edit.kind == trace::EditKind::Ban) {
            constraint.banned.push_back(edit.token);
        } else {
            constraint.prefix.resize(static_cast<std::size_t>(stepOf(edit)));
            constraint.prefix.push_back(edit.token);
        }
    }

    AutoregressiveDecoder& decoder_;
    const train::GenerateRequest& request_;
    TextGroup group_;
    int known_;  ///< tokens that are given, BOS included
    std::vector<trace::Edit> edits_;
};

/// Puts the requested candidate first and returns its number. Errors: branch.candidate.
Result<std::int64_t> selectCandidate(train::GeneratedRow& row, std::optional<std::int64_t> candidate) {
    if (!candidate) return 0;
    if (*candidate < 0 || *candidate >= static_cast<std::int64_t>(row.candidates.size()))
        return requestError("branch.candidate",
                            fmt::format("no candidate {} of {}", *candidate, row.candidates.size()))
            .at("candidate")
            .fix("record the trace again");
    std::rotate(row.candidates.begin(), row.candidates.begin() + *candidate,
                row.candidates.begin() + *candidate + 1);
    row.best = row.candidates.front();
    return *candidate;
}

}  // namespace

void dryRun(AutoregressiveNet& net, const train::DeviceBatch& longest, const RunConfig& sampler) {
    const std::int64_t beam = sampler.integer("sampler.beam"), skip = net.firstSource(),
                       texts = std::clamp<std::int64_t>(sampler.integer("sampler.batch_size") / beam, 1,
                                                        longest.rows),
                       width = longest.sourceLength - skip;
    TextGroup group;
    group.source = longest.source.narrow(0, 0, texts).narrow(1, skip, width);
    group.sourceLengths.assign(longest.sourceLengths.begin(), longest.sourceLengths.begin() + texts);
    for (auto& length : group.sourceLengths) length -= static_cast<std::int32_t>(skip);
    group.known.assign(static_cast<std::size_t>(texts), {net.special().bos});
    const auto decoder = net.begin(group);
    const at::Tensor rows = at::zeros({texts * beam}, group.source.options());
    decoder->select(rows);
    const auto requested = static_cast<std::int64_t>(lengthFactor(sampler) * static_cast<double>(width)) +
                           sampler.integer("sampler.max_length_b");
    for (std::int64_t i = std::min(requested, net.maxPositions() - 1); i > 0; --i) {
        const at::Tensor logP = at::log_softmax(decoder->extend(rows), -1);
        decoder->select(rows);
    }
}

Result<train::Generation> generateWith(AutoregressiveNet& net, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::TraceSink* maybeTrace) {
    KURVE_CHECK(request.edits.empty() || maybeTrace != nullptr, "edits without a trace");
    KURVE_TRY(const DecoderSettings settings, settingsOf(net, request, sampler));
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    train::Generation out;
    out.rows.resize(request.sources.size());
    AutoregressiveDecoder decoder(net, settings);
    const auto size = static_cast<std::size_t>(
        std::max<std::int64_t>(1, sampler.integer("sampler.batch_size") / settings.beam));
    std::vector<Hypothesis> first;  // of source 0
    for (const auto& numbers : groupsOf(net, request, size)) {
        auto texts = decoder.decode(groupOf(net, request, numbers), request.cancel);
        out.cancelled = texts.empty();
        if (out.cancelled) break;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] == 0 && !request.edits.empty()) first = texts[i];
            out.rows[numbers[i]] = rowOf(knownOf(net, request, numbers[i]), std::move(texts[i]));
        }
    }
    if (out.cancelled || out.rows.empty()) {
        out.networkCalls = decoder.networkCalls();
        return out;
    }
    KURVE_TRY(const std::int64_t candidate, selectCandidate(out.rows.front(), request.candidate));
    if (!request.edits.empty()) {
        KURVE_TRY(auto changed, EditedDecoding(decoder, request, groupOf(net, request, {0}))
                                    .decode(std::move(first[static_cast<std::size_t>(candidate)])));
        out.cancelled = changed.empty();
        out.rows.front() = rowOf(knownOf(net, request, 0), std::move(changed));
    }
    out.networkCalls = decoder.networkCalls();
    if (out.cancelled) return out;
    // After edits the list is another one; the number stays that of the candidate that they were made in.
    out.rows.front().best.number = candidate;
    if (maybeTrace != nullptr) TextRecorder(net, request, *maybeTrace).record(out.rows.front().best.ids);
    return out;
}

}  // namespace kurve::models::transformer
