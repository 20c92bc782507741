#include <algorithm>
#include <cctype>
#include <cstdlib>

#include "core/store/detail/filter_term.h"
#include "core/store/project.h"

namespace kurve::store {
namespace {

using detail::lower;

std::optional<double> numberOf(const std::string& text) {
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') return {};
    return value;
}

Error syntax(const std::string& text, std::string message) {
    return requestError("filter.syntax", std::move(message))
        .at(text)
        .fix("for example: valid_bleu>20 tag:good state:completed");
}

/// A term without its quotes; from `quotedFrom` on it is text, whatever stands there.
struct Word {
    std::string text;
    std::size_t quotedFrom = std::string::npos;
};

/// Cuts at spaces outside of double quotes. Nothing if one stays open.
std::optional<std::vector<Word>> termsOf(const std::string& text) {
    std::vector<Word> terms;
    bool quoted = false, open = false;
    for (const char c : text) {
        if (c == '"') {
            quoted = !quoted;
        } else if (!quoted && std::isspace(static_cast<unsigned char>(c))) {
            open = false;
            continue;
        }
        if (!open) terms.emplace_back();
        open = true;
        Word& term = terms.back();
        if (c == '"')
            term.quotedFrom = std::min(term.quotedFrom, term.text.size());
        else
            term.text += c;
    }
    if (quoted) return {};
    return terms;
}

bool compare(double left, const std::string& op, double right) {
    if (op == "<") return left < right;
    if (op == "<=") return left <= right;
    if (op == ">") return left > right;
    if (op == ">=") return left >= right;
    if (op == "!=") return left != right;
    return left == right;
}

bool contains(const std::string& text, const std::string& lowerPart) {
    return lower(text).find(lowerPart) != std::string::npos;
}

bool hasWord(const RunSummary& run, const std::string& word) {
    for (const std::string* text : {&run.name, &run.id, &run.family, &run.task, &run.state, &run.notes})
        if (contains(*text, word)) return true;
    return std::any_of(run.tags.begin(), run.tags.end(),
                       [&](const auto& tag) { return contains(tag, word); });
}

}  // namespace

std::optional<std::string> RunFilter::unchanged(const RunSummary& run, const std::string& key) const {
    return maybeUnchanged_ && detail::filterName(key) == nullptr ? maybeUnchanged_(run, key) : std::nullopt;
}

std::optional<double> RunFilter::numberIn(const RunSummary& run, const std::string& key) const {
    if (const detail::FilterName* known = detail::filterName(key); known && known->number)
        return known->number(run);
    if (const double* metric = detail::lookUp(run.metrics, key)) return *metric;
    if (const std::string* setting = detail::lookUp(run.settings, key)) return numberOf(*setting);
    for (const bool high : {false, true})
        if (key.starts_with(high ? "max." : "min."))
            if (const Extremes* extremes = run.extremes ? run.extremes->find(key.substr(4)) : nullptr)
                return high ? extremes->high : extremes->low;
    const auto value = unchanged(run, key);
    return value ? numberOf(*value) : std::nullopt;
}

bool RunFilter::holds(const Term& term, const RunSummary& run) const {
    const std::string &key = term.key, &op = term.op, &text = term.text;
    if (op.empty()) return hasWord(run, text);
    if (term.number) {
        if (const auto value = numberIn(run, key)) return compare(*value, op, *term.number);
    }
    if (op.front() == '<' || op.front() == '>') return false;
    auto texts = detail::textsOf(run, key);
    if (texts.empty())
        if (auto value = unchanged(run, key)) texts.push_back(std::move(*value));
    if (op == ":")
        return std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return contains(t, text); });
    const bool equal =
        std::any_of(texts.begin(), texts.end(), [&](const auto& t) { return lower(t) == text; });
    return equal == (op == "=");
}

Result<RunFilter> RunFilter::parse(const std::string& text, Unchanged maybeUnchanged) {
    const auto words = termsOf(text);
    if (!words) return syntax(text, "a quotation mark is left open");
    RunFilter filter;
    filter.maybeUnchanged_ = std::move(maybeUnchanged);
    for (const auto& [word, quotedFrom] : *words) {
        const std::string open = word.substr(0, quotedFrom);
        const auto at = detail::operatorAt(open);
        const auto equals = open.find('=');
        if (at == std::string::npos && equals != std::string::npos && open.find('@') < equals)
            return syntax(word, "the score has no comparison; for example " + word + ">20");
        if (at == std::string::npos || (word[at] == '!' && word.compare(at, 2, "!=") != 0)) {
            filter.terms_.push_back({"", "", lower(word), {}});
            continue;
        }
        const bool wide = at + 1 < word.size() && word[at] != ':' && word[at + 1] == '=';
        Term term{detail::withSortedSettings(word.substr(0, at)),
                  word.substr(at, wide ? 2 : 1),
                  lower(word.substr(at + (wide ? 2 : 1))),
                  {}};
        term.number = numberOf(term.text);
        if (term.key.empty()) return syntax(word, "nothing stands before " + term.op);
        if (term.text.empty()) return syntax(word, "nothing stands behind " + term.op);
        if ((term.op[0] == '<' || term.op[0] == '>') && !term.number)
            return syntax(word, "'" + term.text + "' is not a number");
        filter.terms_.push_back(std::move(term));
    }
    return filter;
}

bool RunFilter::matches(const RunSummary& run) const {
    return std::all_of(terms_.begin(), terms_.end(), [&](const Term& term) { return holds(term, run); });
}

std::string RunFilter::unknownName(std::span<const RunSummary> runs) const {
    for (const Term& term : terms_) {
        const std::string& key = term.key;
        const bool everyRuns = term.op.empty() || runs.empty() || detail::filterName(key) != nullptr;
        const auto has = [&](const RunSummary& run) {
            return numberIn(run, key).has_value() || detail::lookUp(run.settings, key) != nullptr ||
                   unchanged(run, key).has_value();
        };
        if (!everyRuns && std::none_of(runs.begin(), runs.end(), has)) return key;
    }
    return {};
}

bool RunFilter::asksFor(const std::string& key, const std::string& text) const {
    return std::any_of(terms_.begin(), terms_.end(),
                       [&](const Term& term) { return term.key == key && term.text == text; });
}

}  // namespace kurve::store
