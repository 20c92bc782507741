#include "core/trace/trace.h"

#include <algorithm>
#include <limits>
#include <set>

namespace kurve::trace {

const char* unitName(Unit unit) {
    static constexpr const char* kNames[] = {"token", "chunk", "sentence"};
    return kNames[static_cast<std::size_t>(unit)];
}

bool isConstant(const std::string& block) {
    static const std::set<std::string> kConstants{"psi",       "greville",      "index",      "vocab/latent",
                                                  "vocab/ids", "reference/ids", "layer_reads"};
    return kConstants.contains(block);
}

const Block* Trace::block(const std::string& name) const {
    const auto found = blocks.find(name);
    return found == blocks.end() ? nullptr : &found->second;
}

std::string Trace::metaText(const std::string& key) const {
    const auto found = meta.find(key);
    return found == meta.end() ? std::string() : found->second;
}

float Trace::value(std::vector<float> Trace::*layer, int step, int position) const {
    const std::vector<float>& values = this->*layer;
    const std::size_t at = cell(step, position);
    return at < values.size() ? values[at] : std::numeric_limits<float>::quiet_NaN();
}

std::uint32_t Trace::tokenAt(int step, int position) const {
    const std::size_t at = cell(step, position);
    return at < tokens.size() ? tokens[at] : kNoToken;
}

const std::string& Trace::textOf(std::uint32_t token) const {
    static const std::string kNone;
    const auto found = tokenTexts.find(token);
    return found == tokenTexts.end() ? kNone : found->second;
}

TokenState Trace::stateAt(int step, int position) const {
    if (const std::size_t at = cell(step, position); at < state.size())
        return static_cast<TokenState>(state[at]);
    const auto index = [&](const std::vector<std::int32_t>& axis, int otherwise) {
        return axis.empty() ? otherwise : axis[static_cast<std::size_t>(step)];
    };
    const int now = index(outer, 0);
    if (ordered() && position > now) return TokenState::Masked;
    if (ordered() && position < now) return TokenState::Kept;
    if (index(inner, step) == 0) return TokenState::New;
    return step > 0 && tokenAt(step, position) != tokenAt(step - 1, position) ? TokenState::Flip
                                                                              : TokenState::Kept;
}

Candidates Trace::candidates(int step, int position) const {
    const auto k = static_cast<std::size_t>(topK), from = cell(step, position) * k;
    if (topIds.size() < from + k || topProbability.size() < from + k) return {};
    const auto probabilities = std::span(topProbability).subspan(from, k);
    std::size_t count = 0;
    while (count < k && (probabilities[count] > 0 || count == 0)) ++count;
    return {std::span(topIds).subspan(from, count), probabilities.first(count)};
}

bool sameToken(const Trace& a, const Trace& b, int step, int position) {
    const std::uint32_t left = a.tokenAt(std::min(step, a.steps - 1), position),
                        right = b.tokenAt(std::min(step, b.steps - 1), position);
    return a.unit == Unit::Token ? left == right : a.textOf(left) == b.textOf(right);
}

void joinTexts(Trace& trace) {
    if (!trace.tokens.empty() || trace.below == nullptr || trace.below->tokens.empty() || trace.spans.empty())
        return;
    std::map<std::string, std::uint32_t> ids;
    for (int step = 0; step < trace.steps; ++step)
        for (const Span& span : trace.spans) {
            std::string text;
            for (int i = span.begin; i < span.end; ++i)
                text += trace.below->textOf(trace.below->tokenAt(step, i));
            const auto id = ids.try_emplace(text, static_cast<std::uint32_t>(ids.size())).first->second;
            trace.tokens.push_back(id);
            trace.tokenTexts[id] = std::move(text);
        }
}

}  // namespace kurve::trace
