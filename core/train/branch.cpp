#include "core/train/branch.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <unordered_map>

#include "core/base/json_depth.h"
#include "core/base/text.h"

namespace kurve::train {
namespace {

using nlohmann::json;
using trace::Edit;
using trace::Trace;

Error parentError(std::string what) {
    return requestError("branch.parent", std::move(what))
        .fix("branch from a trace that kurve trace, a prompt or training recorded");
}

Status checkParent(const TextModel& text, const Trace& parent, const TraceOrigin& origin) {
    if (parent.metaText("run") != origin.run)
        return parentError(
            fmt::format("the trace is of the run \"{}\", not of {}", parent.metaText("run"), origin.run));
    if (parent.metaText("tokenizer_hash") != text.tokenizers.target->hash())
        return parentError("the trace was recorded with another tokenizer");
    const std::string step = parent.metaText("checkpoint_step"), hash = parent.metaText("checkpoint_sha256");
    const bool otherHash =
        !hash.empty() && !origin.checkpointSha256.empty() && hash != origin.checkpointSha256;
    if (step != std::to_string(origin.step) || otherHash)
        return requestError("branch.weights",
                            fmt::format("the trace was recorded at step {} of the training ({}), "
                                        "the loaded weights are of step {} ({})",
                                        step, parent.metaText("checkpoint"), origin.step, origin.checkpoint))
            .at("checkpoint")
            .fix("use the checkpoint of that step, or record the text again with these weights");
    return {};
}

Result<RunConfig> samplerOf(const Trace& parent, const RunConfig& config) {
    const std::string text = parent.metaText("sampler");
    const json sampler =
        jsonDeeperThan(text, 2) ? json(json::value_t::discarded) : json::parse(text, nullptr, false);
    if (!sampler.is_object()) return parentError("the trace does not say how it was sampled");
    std::vector<Override> overrides;
    for (const auto& [key, value] : sampler.items())
        overrides.emplace_back(key, value.is_string() ? value.get<std::string>() : value.dump());
    return config.with(overrides);
}

Result<text::PromptKind> promptKindOf(const Trace& parent) {
    const std::string name = parent.metaText("prompt_kind");
    if (name.empty()) return text::PromptKind::Source;
    return text::promptKindOf(name);
}

template <class Number>
std::optional<Number> numberOf(const std::string& text) {
    Number number{};
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
    if (parsed.ec != std::errc() || parsed.ptr != text.data() + text.size()) return std::nullopt;
    return number;
}

std::vector<std::string> blocksOf(const BranchRequest& request) {
    std::vector<std::string> what = request.what;
    for (const char* name : {"latent", "curve", "hidden", "attention"}) {
        const bool there =
            std::any_of(request.parent.blocks.begin(), request.parent.blocks.end(), [&](const auto& block) {
                const bool features = block.first == "features" && name == std::string("latent");
                return features || block.first == name || block.first.rfind(std::string(name) + '/', 0) == 0;
            });
        if (there && std::find(what.begin(), what.end(), name) == what.end()) what.emplace_back(name);
    }
    return what;
}

Status checkSupport(const SequenceModel& model, const std::vector<Edit>& edits, const RunConfig& config) {
    const auto can = model.edits();
    for (const Edit& edit : edits)
        if (std::find(can.begin(), can.end(), edit.kind) == can.end())
            return requestError("branch.unsupported", fmt::format("the family {} does not support \"{}\"",
                                                                  config.family(), editKindName(edit.kind)))
                .at("kind");
    return {};
}

/// A text generated in order may end elsewhere: the common part is then compared.
bool sameBefore(const Trace& parent, const Trace& branch, int step) {
    if (!parent.ordered() && (parent.steps != branch.steps || parent.positions != branch.positions))
        return false;
    if (std::min(parent.steps, step) > branch.steps) return false;
    const int positions = std::min(parent.positions, branch.positions);
    for (int at = 0; at < std::min(parent.steps, step); ++at)
        for (int position = 0; position < positions; ++position)
            if (!trace::sameToken(parent, branch, at, position)) return false;
    return true;
}

Status checkReproduced(const Trace& parent, const Trace& branch, int step) {
    if (sameBefore(parent, branch, step)) return {};
    return workError("branch.diverged", "the steps before the branch are not reproduced")
        .fix(
            "the trace is of weights that are rounded now (half precision), of another device or of "
            "another build: record the text again here");
}

Status findToken(Edit& edit, const text::Tokenizer& tokenizer) {
    if (edit.token < 0) {
        for (std::int32_t id = 0; id < tokenizer.vocabularySize() && edit.token < 0; ++id)
            if (text::shownToken(tokenizer, id) == edit.text) edit.token = id;
        const auto ids = tokenizer.encode(edit.text);
        if (edit.token < 0 && ids.size() == 1 && ids.front() != tokenizer.special().unk)
            edit.token = ids.front();
        if (edit.token < 0)
            return requestError("branch.token",
                                fmt::format("\"{}\" is {} tokens, not one", edit.text, ids.size()))
                .at("token")
                .fix("name one token of the vocabulary, or its id");
    }
    if (edit.token >= tokenizer.vocabularySize())
        return requestError("branch.token", fmt::format("there is no token {}", edit.token))
            .at("token")
            .fix(fmt::format("the vocabulary has {}", tokenizer.vocabularySize()));
    const std::array<std::int32_t, 1> one{edit.token};
    if (edit.text.empty()) edit.text = tokenizer.decode(one);
    if (edit.text.empty()) edit.text = text::shownToken(tokenizer, edit.token);
    return {};
}

/// An id in the edit is one of the parent's texts; what people see of that may lack its spaces.
void takeText(Edit& edit, const Trace& parent) {
    const std::string& known = parent.textOf(static_cast<std::uint32_t>(edit.token));
    if (edit.token >= 0 && !known.empty()) edit.text = known;
    edit.token = -1;
}

/// `count` tokens whose shown texts, one after another, are the text; longer tokens first. Empty: there are
/// none.
std::vector<std::int32_t> spelledBy(const std::string& text, std::size_t count,
                                    const text::Tokenizer& tokenizer) {
    std::unordered_map<std::string, std::int32_t> ids;
    std::size_t longest = 0;
    for (std::int32_t id = 0; id < tokenizer.vocabularySize(); ++id) {
        const std::string shown = text::shownToken(tokenizer, id);
        longest = std::max(longest, shown.size());
        if (!shown.empty()) ids.emplace(shown, id);
    }
    std::set<std::pair<std::size_t, std::size_t>> deadEnds;
    std::vector<std::int32_t> found;
    const std::function<bool(std::size_t)> goOn = [&](std::size_t at) {
        if (at == text.size() || found.size() == count) return at == text.size() && found.size() == count;
        if (deadEnds.contains({at, found.size()})) return false;
        for (std::size_t length = std::min(longest, text.size() - at); length > 0; --length) {
            const auto one = ids.find(text.substr(at, length));
            if (one == ids.end()) continue;
            found.push_back(one->second);
            if (goOn(at + length)) return true;
            found.pop_back();
        }
        deadEnds.emplace(at, found.size());
        return false;
    };
    goOn(0);
    return found;
}

Status findChunk(Edit& edit, const text::Tokenizer& tokenizer, const Trace& parent) {
    takeText(edit, parent);
    const trace::Span span = parent.spans.at(static_cast<std::size_t>(edit.position));
    const auto count = static_cast<std::size_t>(span.end - span.begin);
    std::string shown;
    for (const char c : edit.text) shown += c == ' ' ? std::string("▁") : std::string(1, c);
    edit.tokens = spelledBy(shown, count, tokenizer);
    if (!edit.tokens.empty()) return {};
    return requestError("branch.token",
                        fmt::format("\"{}\" cannot be written in the {} tokens of a chunk", edit.text, count))
        .at("token")
        .fix("give the text of a whole chunk, as the timeline shows it");
}

Status findSentence(Edit& edit, const text::Tokenizer& tokenizer, const Trace& parent) {
    takeText(edit, parent);
    edit.tokens = tokenizer.encode(edit.text);
    if (!edit.tokens.empty()) return {};
    return requestError("branch.token", "the sentence is empty").at("token").fix("give its text");
}

}  // namespace

Status findTokens(std::vector<Edit>& edits, const text::Tokenizer& tokenizer, const Trace& parent) {
    for (Edit& edit : edits) {
        if (!edit.hasText()) continue;
        switch (parent.unit) {
            case trace::Unit::Token:
                KURVE_CHECKED(findToken(edit, tokenizer));
                break;
            case trace::Unit::Chunk:
                KURVE_CHECKED(findChunk(edit, tokenizer, parent));
                break;
            case trace::Unit::Sentence:
                KURVE_CHECKED(findSentence(edit, tokenizer, parent));
                break;
        }
    }
    return {};
}

Result<RecordedTrace> recordBranch(const TextModel& text, const BranchRequest& request,
                                   const RunConfig& config, const TraceOrigin& origin) {
    const Trace& parent = request.parent;
    KURVE_CHECKED(checkParent(text, parent, origin));
    KURVE_CHECKED(trace::checkEdits(parent, request.step, request.edits));
    std::vector<Edit> own = request.edits;
    KURVE_CHECKED(findTokens(own, *text.tokenizers.target, parent));
    KURVE_TRY(const RunConfig sampler, samplerOf(parent, config));
    KURVE_TRY(const text::PromptKind kind, promptKindOf(parent));
    TraceRequest again{{parent.metaText("prompt"), kind},
                       parent.metaText("reference"),
                       1,
                       blocksOf(request),
                       request.cancel};
    again.seed = numberOf<std::uint64_t>(parent.metaText("seed")).value_or(1);
    again.row = numberOf<std::uint64_t>(parent.metaText("noise_row")).value_or(0);
    if (const std::string history = parent.metaText("branch_history"); !history.empty()) {
        KURVE_TRY(again.edits, trace::editsFromText(history, 0));
        KURVE_CHECKED(findTokens(again.edits, *text.tokenizers.target, parent));
    }
    again.candidate = numberOf<std::int64_t>(parent.metaText("candidate")).value_or(0);
    again.edits.insert(again.edits.end(), own.begin(), own.end());
    KURVE_CHECKED(checkSupport(text.model, again.edits, sampler));
    again.growing = request.growing;
    again.progress = request.progress;
    KURVE_TRY(RecordedTrace branch, recordTrace(text, again, sampler, origin));
    if (branch.cancelled) return branch;
    KURVE_TRY(const Trace recorded, trace::readTrace(branch.writer->growing()));
    KURVE_CHECKED(checkReproduced(parent, recorded, request.step));
    auto& meta = branch.meta;
    meta["branch_parent"] = request.parentFile;
    meta["branch_step"] = std::to_string(request.step);
    meta["branch_change"] = trace::editsName(own);
    meta["branch_edits"] = trace::editsToJson(own).dump();
    meta["branch_history"] = trace::editsToJson(again.edits).dump();
    return branch;
}

}  // namespace kurve::train
