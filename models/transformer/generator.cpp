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
#include "models/transformer/autoregressive_decoder.h"

namespace kurve::models::transformer {
namespace {

using trace::TokenState;

Result<DecoderSettings> settingsOf(TransformerNetImpl& net, const train::GenerateRequest& request,
                                   const RunConfig& sampler) {
    DecoderSettings settings;
    settings.beam = sampler.integer("sampler.beam");
    settings.minLength = sampler.integer("sampler.min_length");
    settings.lengthPenalty = sampler.real("sampler.length_penalty");
    settings.lengthFactor = sampler.real("sampler.max_length_a");
    settings.lengthOffset = sampler.integer("sampler.max_length_b");
    settings.temperature = sampler.real("sampler.temperature");
    settings.topK = sampler.integer("sampler.top_k");
    settings.topP = sampler.real("sampler.top_p");
    settings.sampling = sampler.text("sampler.method") == "sample";
    settings.seed = request.seed;
    settings.firstRow = request.firstRow;
    if (settings.minLength >= net.maxPositions())
        return requestError("sample.min_length",
                            fmt::format("{} tokens at least, but the model generates at most {}",
                                        settings.minLength, net.maxPositions() - 1))
            .at("sampler.min_length")
            .fix("decrease sampler.min_length");
    KURVE_CHECKED(checkLengths(request.sources, net.maxPositions()));
    return settings;
}

/// The trace of one finished text, by a teacher-forced pass: each token given those before it.
class Recorder {
public:
    Recorder(TransformerNetImpl& net, const train::GenerateRequest& request) : net_(net), request_(request) {}

    /// Positions are BOS, the tokens, EOS; step i generates position i + 1.
    [[nodiscard]] trace::Trace record(const std::vector<std::int32_t>& ids) const {
        std::vector<std::int64_t> previous{text::kEos}, generated(ids.begin(), ids.end());
        previous.insert(previous.end(), ids.begin(), ids.end());
        generated.push_back(text::kEos);
        const auto steps = static_cast<std::int64_t>(generated.size());
        ForwardPass pass;
        StateCapture capture;
        capture.hidden = wants("hidden");
        capture.attention = wants("attention");
        pass.maybeCapture = &capture;
        const at::Tensor logP = distributions(previous, pass);

        trace::Trace out;
        out.steps = static_cast<int>(steps);
        out.positions = static_cast<int>(steps) + 1;
        out.meta["kind"] = "autoregressive";
        for (std::int64_t i = 0; i < steps; ++i) {
            out.t.push_back(1 - static_cast<double>(i + 1) / static_cast<double>(steps));
            out.logSnr.push_back(std::numeric_limits<double>::quiet_NaN());
        }
        fill(out, logP, generated);
        for (const auto& [name, value] : capture.tensors) out.blocks[name] = overSteps(value, steps);
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
        const CrossAttentionCache crossCache = net_.encode(source, lengths, {});
        const std::vector<std::int32_t> length{static_cast<std::int32_t>(previous.size())};
        const at::Tensor ids = toDevice(std::span<const std::int64_t>(previous), net_.device()).unsqueeze(0);
        return at::log_softmax(net_.logits(net_.decode(ids, crossCache, length, pass)), -1);
    }

    static void fill(trace::Trace& out, const at::Tensor& logP, const std::vector<std::int64_t>& generated) {
        trace::Trace final;  // one row of cells: the last step's, without BOS
        addDistributions(final, logP);
        const at::Tensor chosen =
            logP[0].gather(1, toDevice(std::span<const std::int64_t>(generated), logP.device()).unsqueeze(1));
        const std::vector<float> p = floatsOf(chosen.exp());
        const at::Tensor two = std::get<0>(logP[0].exp().topk(2, -1));
        const std::vector<float> margin = floatsOf(two.select(1, 0) - two.select(1, 1));
        constexpr auto kTop = static_cast<std::size_t>(trace::kTopCandidates);
        for (int step = 0; step < out.steps; ++step)
            for (int position = 0; position < out.positions; ++position) {
                const bool given = position == 0, real = position <= step + 1;
                const auto n = static_cast<std::size_t>(std::max(0, position - 1));
                out.tokens.push_back(given  ? static_cast<std::uint32_t>(text::kBos)
                                     : real ? static_cast<std::uint32_t>(generated[n])
                                            : static_cast<std::uint32_t>(text::kMask));
                out.state.push_back(static_cast<std::uint8_t>(given                  ? TokenState::Given
                                                              : !real                ? TokenState::Masked
                                                              : position == step + 1 ? TokenState::New
                                                                                     : TokenState::Kept));
                out.confidence.push_back(given ? 1 : real ? p[n] : 0);
                out.entropy.push_back(given || !real ? 0 : final.entropy[n]);
                out.margin.push_back(given ? 1 : real ? margin[n] : 0);
                for (std::size_t k = 0; k < kTop; ++k) {
                    const bool predicted = real && !given;
                    out.topIds.push_back(predicted ? final.topIds[n * kTop + k] : out.tokens.back());
                    out.topProbability.push_back(predicted ? final.topProbability[n * kTop + k]
                                                           : (given && k == 0 ? 1.0F : 0.0F));
                }
            }
    }

    /// hidden [1, L, H] -> [S, N, H], attention [1, heads, L, L] -> [S, heads, N, N]: position j has the
    /// state that predicted it, and zeros before that.
    static trace::Block overSteps(const at::Tensor& value, std::int64_t steps) {
        const bool attention = value.dim() == 4;
        const at::Tensor known = at::ones({steps, steps}, value.options()).tril();  // [S, L]
        if (!attention) return blockOf(at::constant_pad_nd(value * known.unsqueeze(2), {0, 0, 1, 0}, 0));
        return blockOf(at::constant_pad_nd(value * known.view({steps, 1, steps, 1}), {1, 0, 1, 0}, 0));
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

/// The step that generates the edited position.
int stepOf(const trace::Edit& edit) {
    return edit.position - 1;
}

/// Errors: branch.position, branch.token.
Status checkEdit(const trace::Edit& edit, std::int64_t longest) {
    const int at = stepOf(edit);
    const bool once = edit.kind == trace::EditKind::Force;
    if (at < 0 || at < edit.step || (once && at != edit.step))
        return requestError("branch.position",
                            at < 0 ? std::string("position 0 is BOS")
                                   : fmt::format("position {} is generated in step {}, not {}", edit.position,
                                                 at + 1, edit.step + 1))
            .at("position")
            .fix(fmt::format("choose position {0}, the one of step {0}; pin and ban also take a later one",
                             edit.step + 1));
    if (at >= longest)
        return requestError("branch.position", "the position is beyond the greatest length").at("position");
    for (const std::int32_t never : {text::kPad, text::kBos, text::kMask})
        if (edit.kind != trace::EditKind::Ban && edit.token == never)
            return requestError("branch.token", "PAD, BOS and the mask cannot be generated").at("token");
    return {};
}

/// Decodes source 0 with edits: at each edited step, decoding continues from the tokens before it.
class EditedDecoding {
public:
    EditedDecoding(AutoregressiveDecoder& decoder, const train::GenerateRequest& request, SourceGroup source)
        : decoder_(decoder), request_(request), source_(std::move(source)), edits_(request.edits) {
        std::stable_sort(edits_.begin(), edits_.end(),
                         [](const trace::Edit& a, const trace::Edit& b) { return stepOf(a) < stepOf(b); });
    }
    /// The candidates, the edited one first; empty if cancelled. `text`: that one without edits. Errors:
    /// branch.position, branch.token.
    Result<std::vector<Hypothesis>> decode(Hypothesis text) {
        for (const trace::Edit& edit : edits_)
            KURVE_CHECKED(checkEdit(edit, decoder_.maxLength(source_.lengths.front())));
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
            auto generated = decoder_.decode(source_, request_.cancel);
            decoder_.setConstraint(nullptr);
            if (generated.empty()) return std::vector<Hypothesis>{};
            all = std::move(generated.front());
            std::stable_partition(all.begin(), all.end(),
                                  [&](const Hypothesis& one) { return one.sample == constraint.sample; });
        }
        return all;
    }

private:
    /// Later edits of a position replace the earlier ones.
    static void add(const trace::Edit& edit, Constraint& constraint) {
        if (edit.kind == trace::EditKind::Ban) {
            constraint.banned.push_back(edit.token);
        } else {
            constraint.prefix.resize(static_cast<std::size_t>(stepOf(edit)));
            constraint.prefix.push_back(edit.token);
        }
    }

    AutoregressiveDecoder& decoder_;
    const train::GenerateRequest& request_;
    SourceGroup source_;
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

void dryRun(TransformerNetImpl& net, const train::DeviceBatch& longest, const RunConfig& sampler) {
    const std::int64_t beam = sampler.integer("sampler.beam"), skip = net.firstSource(),
                       sources = std::clamp<std::int64_t>(sampler.integer("sampler.batch_size") / beam, 1,
                                                          longest.rows);
    const at::Tensor ids = longest.source.narrow(0, 0, sources).narrow(1, skip, longest.sourceLength - skip);
    std::vector<std::int32_t> lengths(longest.sourceLengths.begin(), longest.sourceLengths.begin() + sources);
    for (auto& length : lengths) length -= static_cast<std::int32_t>(skip);
    const CrossAttentionCache crossCache = net.encode(ids, lengths, {});
    DecodingCache cache = net.newCache(sources * beam);
    const at::Tensor rows = at::zeros({sources * beam}, ids.options());
    const auto requested =
        static_cast<std::int64_t>(sampler.real("sampler.max_length_a") * static_cast<double>(ids.size(1))) +
        sampler.integer("sampler.max_length_b");
    for (std::int64_t i = std::min(requested, net.maxPositions() - 1); i > 0; --i) {
        const at::Tensor logP = at::log_softmax(net.logits(net.extend(rows, crossCache, cache)), -1);
        cache.select(rows);
    }
}

Result<train::Generation> generateWith(TransformerNetImpl& net, const train::GenerateRequest& request,
                                       const RunConfig& sampler, trace::Trace* maybeTrace) {
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
    for (const auto& numbers : groupsByLength(request.sources, size)) {
        auto texts = decoder.decode(groupOf(net, request, numbers), request.cancel);
        out.cancelled = texts.empty();
        if (out.cancelled) break;
        for (std::size_t i = 0; i < numbers.size(); ++i) {
            if (numbers[i] == 0 && !request.edits.empty()) first = texts[i];
            out.rows[numbers[i]] = rowOf(std::move(texts[i]));
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
        out.rows.front() = rowOf(std::move(changed));
    }
    out.networkCalls = decoder.networkCalls();
    if (out.cancelled) return out;
    if (maybeTrace != nullptr) {
        *maybeTrace = Recorder(net, request).record(out.rows.front().best.ids);
        maybeTrace->meta["candidate"] = std::to_string(candidate);
    }
    return out;
}

}  // namespace kurve::models::transformer
