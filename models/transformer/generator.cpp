#include "models/transformer/generator.h"

#include <fmt/format.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>

#include "core/base/check.h"
#include "core/text/tokenizer.h"
#include "models/common/decoding.h"
#include "models/common/padding.h"
#include "models/common/trace_values.h"
#include "models/transformer/writer.h"

namespace kurve::models::transformer {
namespace {

using trace::SlotState;

Result<WriterSettings> settingsOf(TransformerNetImpl& net, const train::GenerateRequest& request,
                                  const RunConfig& sampler) {
    WriterSettings settings;
    settings.beam = sampler.integer("sampler.beam");
    settings.minLength = sampler.integer("sampler.min_length");
    settings.lengthPenalty = sampler.real("sampler.length_penalty");
    settings.lengthFactor = sampler.real("sampler.max_length_a");
    settings.lengthOffset = sampler.integer("sampler.max_length_b");
    settings.temperature = sampler.real("sampler.temperature");
    settings.topK = sampler.integer("sampler.top_k");
    settings.topP = sampler.real("sampler.top_p");
    settings.draws = sampler.text("sampler.method") == "sample";
    settings.seed = request.seed;
    settings.firstRow = request.firstRow;
    if (settings.minLength >= net.places())
        return requestError("sample.min_length", fmt::format("{} tokens at least, but the model writes {}",
                                                             settings.minLength, net.places() - 1))
            .at("sampler.min_length")
            .fix("set it lower");
    KURVE_CHECKED(checkLengths(request.sources, net.places()));
    return settings;
}

/// What a teacher-forced pass over one finished text shows: each token with what the model saw before it.
class Recorder {
public:
    Recorder(TransformerNetImpl& net, const train::GenerateRequest& request) : net_(net), request_(request) {}

    /// Slots are BOS, the words, EOS; step i writes slot i + 1.
    [[nodiscard]] trace::Trace record(const std::vector<std::int32_t>& ids) const {
        std::vector<std::int64_t> previous{text::kEos}, written(ids.begin(), ids.end());
        previous.insert(previous.end(), ids.begin(), ids.end());
        written.push_back(text::kEos);
        const auto steps = static_cast<std::int64_t>(written.size());
        ForwardPass pass;
        Taps taps;
        taps.hidden = wants("hidden");
        taps.attention = wants("attention");
        pass.maybeTaps = &taps;
        const at::Tensor logP = distributions(previous, pass);

        trace::Trace out;
        out.steps = static_cast<int>(steps);
        out.slots = static_cast<int>(steps) + 1;
        out.meta["kind"] = "autoregressive";
        for (std::int64_t i = 0; i < steps; ++i) {
            out.t.push_back(1 - static_cast<double>(i + 1) / static_cast<double>(steps));
            out.logSnr.push_back(std::numeric_limits<double>::quiet_NaN());
        }
        fill(out, logP, written);
        for (const auto& [name, value] : taps.kept) out.blocks[name] = overSteps(value, steps);
        return out;
    }

private:
    [[nodiscard]] bool wants(const char* block) const {
        return std::find(request_.what.begin(), request_.what.end(), block) != request_.what.end();
    }

    /// [1, L, V]
    [[nodiscard]] at::Tensor distributions(const std::vector<std::int64_t>& previous,
                                           const ForwardPass& pass) const {
        const std::vector<std::size_t> first{0};
        const auto [source, lengths] =
            padRows(request_.sources, first, net_.device(), static_cast<std::size_t>(net_.firstSource()));
        const Memory memory = net_.encode(source, lengths, {});
        const std::vector<std::int32_t> length{static_cast<std::int32_t>(previous.size())};
        const at::Tensor ids = toDevice(std::span<const std::int64_t>(previous), net_.device()).unsqueeze(0);
        return at::log_softmax(net_.logits(net_.decode(ids, memory, length, pass)), -1);
    }

    static void fill(trace::Trace& out, const at::Tensor& logP, const std::vector<std::int64_t>& written) {
        trace::Trace final;  // one row of cells: the last step's, without BOS
        addDistributions(final, logP);
        const at::Tensor chosen =
            logP[0].gather(1, toDevice(std::span<const std::int64_t>(written), logP.device()).unsqueeze(1));
        const std::vector<float> p = floatsOf(chosen.exp());
        const at::Tensor two = std::get<0>(logP[0].exp().topk(2, -1));
        const std::vector<float> margin = floatsOf(two.select(1, 0) - two.select(1, 1));
        constexpr auto kTop = static_cast<std::size_t>(trace::kTopCandidates);
        for (int step = 0; step < out.steps; ++step)
            for (int slot = 0; slot < out.slots; ++slot) {
                const bool given = slot == 0, real = slot <= step + 1;
                const auto n = static_cast<std::size_t>(std::max(0, slot - 1));
                out.tokens.push_back(given  ? static_cast<std::uint32_t>(text::kBos)
                                     : real ? static_cast<std::uint32_t>(written[n])
                                            : static_cast<std::uint32_t>(text::kMask));
                out.state.push_back(static_cast<std::uint8_t>(given              ? SlotState::Given
                                                              : !real            ? SlotState::Masked
                                                              : slot == step + 1 ? SlotState::New
                                                                                 : SlotState::Kept));
                out.confidence.push_back(given ? 1 : real ? p[n] : 0);
                out.entropy.push_back(given || !real ? 0 : final.entropy[n]);
                out.margin.push_back(given ? 1 : real ? margin[n] : 0);
                for (std::size_t k = 0; k < kTop; ++k) {
                    const bool shown = real && !given;
                    out.topIds.push_back(shown ? final.topIds[n * kTop + k] : out.tokens.back());
                    out.topProbability.push_back(shown ? final.topProbability[n * kTop + k]
                                                       : (given && k == 0 ? 1.0F : 0.0F));
                }
            }
    }

    /// hidden [1, L, H] -> [S, N, H], attention [1, heads, L, L] -> [S, heads, N, N]: slot j shows the state
    /// that predicted it, and zeros before that.
    static trace::Block overSteps(const at::Tensor& value, std::int64_t steps) {
        const bool attention = value.dim() == 4;
        const at::Tensor seen = at::ones({steps, steps}, value.options()).tril();  // [S, L]
        if (!attention) return blockOf(at::constant_pad_nd(value * seen.unsqueeze(2), {0, 0, 1, 0}, 0));
        return blockOf(at::constant_pad_nd(value * seen.view({steps, 1, steps, 1}), {1, 0, 1, 0}, 0));
    }

    TransformerNetImpl& net_;
    const train::GenerateRequest& request_;
};

SourceGroup groupOf(const TransformerNetImpl& net, const train::GenerateRequest& request,
                    std::vector<std::size_t> numbers) {
    auto padded =
        padRows(request.sources, numbers, net.device(), static_cast<std::size_t>(net.firstSource()));
    return {std::move(numbers), padded.ids, std::move(padded.lengths)};
}

train::GeneratedRow rowOf(std::vector<Hypothesis> texts) {
    train::GeneratedRow row;
    for (Hypothesis& text : texts) {
        const auto number = static_cast<std::int64_t>(row.candidates.size());
        row.candidates.push_back({std::move(text.ids), text.score, number});
    }
    if (!row.candidates.empty()) row.best = row.candidates.front();
    return row;
}

/// The step that writes a slot.
int writtenAt(const trace::Edit& edit) {
    return edit.slot - 1;
}

/// Errors: branch.slot, branch.token.
Status checkEdit(const trace::Edit& edit, std::int64_t longest) {
    const int at = writtenAt(edit);
    const bool once = edit.kind == trace::EditKind::Force;
    if (at < 0 || at < edit.step || (once && at != edit.step))
        return requestError("branch.slot", at < 0
                                               ? std::string("slot 0 is the beginning, which is given")
                                               : fmt::format("slot {} is written in step {}, not in step {}",
                                                             edit.slot, at + 1, edit.step + 1))
            .at("slot")
            .fix(fmt::format("step {} writes slot {}; pin and ban may also name a later one", edit.step + 1,
                             edit.step + 1));
    if (at >= longest)
        return requestError("branch.slot", "the text has its greatest length there").at("slot");
    for (const std::int32_t never : {text::kPad, text::kBos, text::kMask})
        if (edit.kind != trace::EditKind::Ban && edit.token == never)
            return requestError("branch.token", "that token is never written").at("token");
    return {};
}

/// A text of source 0 with a hand in it: at each step that an edit changes the writing goes on from what
/// stands before it.
class Hand {
public:
    Hand(Writer& writer, const train::GenerateRequest& request, SourceGroup source)
        : writer_(writer), request_(request), source_(std::move(source)), edits_(request.edits) {
        std::stable_sort(edits_.begin(), edits_.end(), [](const trace::Edit& a, const trace::Edit& b) {
            return writtenAt(a) < writtenAt(b);
        });
    }
    /// The candidates, the followed one first; empty if cancelled. `text`: it without a hand. Errors:
    /// branch.slot, branch.token.
    Result<std::vector<Hypothesis>> write(Hypothesis text) {
        for (const trace::Edit& edit : edits_)
            KURVE_CHECKED(checkEdit(edit, writer_.longest(source_.lengths.front())));
        std::vector<Hypothesis> all{std::move(text)};
        for (std::size_t i = 0; i < edits_.size();) {
            const int at = writtenAt(edits_[i]);
            Constraint constraint;
            const auto& before = all.front().ids;
            const bool reached = static_cast<std::size_t>(at) <= before.size();
            constraint.prefix.assign(before.begin(), before.begin() + (reached ? at : 0));
            constraint.draw = all.front().draw;
            for (; i < edits_.size() && writtenAt(edits_[i]) == at; ++i) add(edits_[i], constraint);
            if (!reached) continue;  // the text ends before that slot
            writer_.constrain(&constraint);
            auto written = writer_.write(source_, request_.cancel);
            writer_.constrain(nullptr);
            if (written.empty()) return std::vector<Hypothesis>{};
            all = std::move(written.front());
            std::stable_partition(all.begin(), all.end(),
                                  [&](const Hypothesis& one) { return one.draw == constraint.draw; });
        }
        return all;
    }

private:
    /// Later edits of a slot stand for the earlier ones.
    static void add(const trace::Edit& edit, Constraint& constraint) {
        if (edit.kind == trace::EditKind::Ban) {
            constraint.banned.push_back(edit.token);
        } else {
            constraint.prefix.resize(static_cast<std::size_t>(writtenAt(edit)));
            constraint.prefix.push_back(edit.token);
        }
    }

    Writer& writer_;
    const train::GenerateRequest& request_;
    SourceGroup source_;
    std::vector<trace::Edit> edits_;
};

/// The candidate that is looked at comes first. Errors: branch.candidate.
Result<std::int64_t> follow(train::GeneratedRow& row, std::optional<std::int64_t> candidate) {
    if (!candidate) return 0;
    if (*candidate < 0 || *candidate >= static_cast<std::int64_t>(row.candidates.size()))
        return requestError("branch.candidate",
                            fmt::format("candidate {} of {}", *candidate, row.candidates.size()))
            .at("candidate")
            .fix("record the trace again");
    std::rotate(row.candidates.begin(), row.candidates.begin() + *candidate,
                row.candidates.begin() + *candidate + 1);
    row.best = row.candidates.front();
    return *candidate;
}

}  // namespace

void rehearse(TransformerNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler) {
    const std::int64_t beam = sampler.integer("sampler.beam"), skip = net.firstSource(),
                       sources =
                           std::clamp<std::int64_t>(sampler.integer("sampler.rows") / beam, 1, longest.rows);
    const at::Tensor ids = longest.source.narrow(0, 0, sources).narrow(1, skip, longest.sourceLength - skip);
    std::vector<std::int32_t> lengths(longest.sourceLengths.begin(), longest.sourceLengths.begin() + sources);
    for (auto& length : lengths) length -= static_cast<std::int32_t>(skip);
    const Memory memory = net.encode(ids, lengths, {});
    DecodingCache cache = net.newCache(sources * beam);
    const at::Tensor rows = at::zeros({sources * beam}, ids.options());
    const auto asked =
        static_cast<std::int64_t>(sampler.real("sampler.max_length_a") * static_cast<double>(ids.size(1))) +
        sampler.integer("sampler.max_length_b");
    for (std::int64_t i = std::min(asked, net.places() - 1); i > 0; --i) {
        const at::Tensor logP = at::log_softmax(net.logits(net.extend(rows, memory, cache)), -1);
        cache.select(rows);
    }
}

Result<train::Generation> generateWith(TransformerNetImpl& net, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::Trace* maybeTrace) {
    KURVE_CHECK(request.edits.empty() || maybeTrace != nullptr, "edits without a trace");
    KURVE_TRY(const WriterSettings settings, settingsOf(net, request, sampler));
    const c10::InferenceMode inference;
    const Evaluating evaluating(net);
    train::Generation out;
    out.rows.resize(request.sources.size());
    Writer writer(net, settings);
    const auto size =
        static_cast<std::size_t>(std::max<std::int64_t>(1, sampler.integer("sampler.rows") / settings.beam));
    std::vector<Hypothesis> first;  // of source 0
    for (const auto& numbers : groupsByLength(request.sources, size)) {
        auto texts = writer.write(groupOf(net, request, numbers), request.cancel);
        out.cancelled = texts.empty();
        if (out.cancelled) break;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] == 0 && !request.edits.empty()) first = texts[i];
            out.rows[numbers[i]] = rowOf(std::move(texts[i]));
        }
    }
    if (out.cancelled || out.rows.empty()) {
        out.networkCalls = writer.networkCalls();
        return out;
    }
    KURVE_TRY(const std::int64_t candidate, follow(out.rows.front(), request.candidate));
    if (!request.edits.empty()) {
        KURVE_TRY(auto changed, Hand(writer, request, groupOf(net, request, {0}))
                                    .write(std::move(first[static_cast<std::size_t>(candidate)])));
        out.cancelled = changed.empty();
        out.rows.front() = rowOf(std::move(changed));
    }
    out.networkCalls = writer.networkCalls();
    if (out.cancelled) return out;
    if (maybeTrace != nullptr) {
        *maybeTrace = Recorder(net, request).record(out.rows.front().best.ids);
        maybeTrace->meta["candidate"] = std::to_string(candidate);
    }
    return out;
}

}  // namespace kurve::models::transformer
