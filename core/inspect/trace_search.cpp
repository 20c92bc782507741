#include "core/inspect/trace_search.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <regex>

#include "core/base/text.h"
#include "core/text/lower_case.h"

namespace kurve::inspect {
namespace {

using trace::TokenState;

struct Bound {
    Measure measure = Measure::Confidence;
    bool below = true;
    float value = 0;
};

struct Query {
    int position = -1;
    std::vector<TokenState> states;
    bool willMask = false, committed = false;
    std::vector<Bound> bounds;
    std::vector<std::string> texts;
};

std::optional<TokenState> stateOf(const std::string& word) {
    static const std::map<std::string, TokenState> kWords{
        {"changed", TokenState::Flip},  {"flip", TokenState::Flip},       {"new", TokenState::New},
        {"masked", TokenState::Masked}, {"remasked", TokenState::Remask}, {"remask", TokenState::Remask},
        {"given", TokenState::Given}};
    const auto found = kWords.find(word);
    return found == kWords.end() ? std::nullopt : std::optional(found->second);
}

/// None of what has another form or no number to its end: it is a text.
std::optional<Bound> boundOf(const std::string& word) {
    static const std::regex kForm("(confidence|margin|entropy|norm)([<>])([0-9.]+)");
    std::smatch match;
    if (!std::regex_match(word, match, kForm)) return std::nullopt;
    Bound bound{match[1] == "confidence" ? Measure::Confidence
                : match[1] == "margin"   ? Measure::Margin
                : match[1] == "norm"     ? Measure::Norm
                                         : Measure::Entropy,
                match[2] == "<"};
    const char *number = word.data() + match.position(3), *end = word.data() + word.size();
    const auto [stop, problem] = std::from_chars(number, end, bound.value);
    return problem == std::errc() && stop == end ? std::optional(bound) : std::nullopt;
}

/// A token that is no valid text stays as it is.
std::string lowered(const std::string& text) {
    return firstInvalidUtf8(text) ? text : text::lowerCase(text);
}

/// None of what is no whole number.
std::optional<int> positionOf(const std::string& word) {
    int number = 0;
    const char* end = word.data() + word.size();
    const auto [stop, error] = std::from_chars(word.data(), end, number);
    return error == std::errc() && stop == end ? std::optional(number) : std::nullopt;
}

Result<Query> parse(const TimelineModel& model, const std::string& text) {
    Query out;
    const std::vector<std::string> words = splitWords(lowered(text));
    if (words.empty())
        return requestError("search.empty", "the query is empty")
            .fix("enter a token, \"position 7\" or \"changed\"");
    for (std::size_t i = 0; i < words.size(); ++i) {
        if (words[i] == "position" && i + 1 < words.size()) continue;  // its number follows
        const auto position = positionOf(words[i]);
        const bool exists = position && *position >= 0 && *position < model.positions();
        if (position && !exists && i > 0 && words[i - 1] == "position")
            return requestError("search.number", "no position " + words[i])
                .fix("positions go from 0 to " + std::to_string(model.positions() - 1));
        if (exists)
            out.position = *position;
        else if (const auto state = stateOf(words[i]))
            out.states.push_back(*state);
        else if (words[i] == "will-mask")
            out.willMask = true;
        else if (words[i] == "committed")
            out.committed = true;
        else if (const auto bound = boundOf(words[i]))
            out.bounds.push_back(*bound);
        else
            out.texts.push_back(words[i]);
    }
    return out;
}

bool isNew(const TimelineModel& model, int step, int position) {
    return step == 0 || model.token(step, position) != model.token(step - 1, position);
}

bool holds(const TimelineModel& model, const Query& query, int step, int position) {
    const TokenState state = model.state(step, position);
    if (state == TokenState::Pad || (query.position >= 0 && position != query.position)) return false;
    for (const TokenState required : query.states)
        if (state != required) return false;
    if (query.willMask && !model.marks().willMask(step, position)) return false;
    if (query.committed && !model.marks().committed(step, position)) return false;
    for (const Bound& bound : query.bounds) {
        const float value = model.value(bound.measure, step, position);
        if (!(bound.below ? value < bound.value : value > bound.value)) return false;
    }
    const std::string token = lowered(model.textOf(model.token(step, position)).text);
    for (const std::string& text : query.texts)
        if (token.find(text) == token.npos) return false;
    const bool positionOnly = query.states.empty() && query.bounds.empty() && query.texts.empty() &&
                              !query.willMask && !query.committed;
    if (positionOnly) return step > 0 && isNew(model, step, position);
    return query.texts.empty() || isNew(model, step, position);
}

}  // namespace

Result<std::vector<TraceCell>> searchTrace(const TimelineModel& model, const std::string& text) {
    KURVE_TRY(const Query query, parse(model, text));
    std::vector<TraceCell> out;
    for (int step = 0; step < model.steps(); ++step)
        for (int position = 0; position < model.positions(); ++position)
            if (holds(model, query, step, position)) out.push_back({step, position});
    return out;
}

}  // namespace kurve::inspect
