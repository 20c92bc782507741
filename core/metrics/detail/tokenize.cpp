#include "core/metrics/detail/tokenize.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/base/text.h"

namespace kurve::metrics::detail {
namespace {

bool isUnicodeSpace(char32_t c) {
    return (c >= 0x09 && c <= 0x0D) || (c >= 0x1C && c <= 0x20) || c == 0x85 || c == 0xA0 || c == 0x1680 ||
           (c >= 0x2000 && c <= 0x200A) || c == 0x2028 || c == 0x2029 || c == 0x202F || c == 0x205F ||
           c == 0x3000;
}

bool isDigit(char c) {
    return c >= '0' && c <= '9';
}
bool isStop(char c) {
    return c == '.' || c == ',';
}
// ASCII punctuation without ' , - . (and digits and letters).
bool isSymbol(char c) {
    return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || c == '/' || (c >= ':' && c <= '@') ||
           (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

void replaceAll(std::string& text, std::string_view from, std::string_view to) {
    for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

/// Replaces non-overlapping pairs of neighbours, left to right, as re.sub does.
template <class Matches, class Emit>
std::string substitutePairs(const std::string& text, Matches matches, Emit emit) {
    std::string out;
    out.reserve(text.size() + text.size() / 2);
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (i + 1 < text.size() && matches(text[i], text[i + 1])) {
            emit(out, text[i], text[i + 1]);
            ++i;
        } else {
            out += text[i];
        }
    }
    return out;
}

// The rules look at ASCII only and keep their operands, so that working on UTF-8 bytes changes
// nothing.
std::vector<std::string> split13a(std::string_view line) {
    std::string text = " " + std::string(trim(line)) + " ";
    replaceAll(text, "<skipped>", "");
    replaceAll(text, "-\n", "");
    replaceAll(text, "\n", " ");
    for (const auto& [entity, plain] :
         {std::pair{"&quot;", "\""}, {"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}})
        replaceAll(text, entity, plain);
    std::string spaced;
    for (const char c : text) isSymbol(c) ? spaced.append({' ', c, ' '}) : spaced.append(1, c);
    const auto before = [](std::string& out, char a, char b) { out.append({a, ' ', b, ' '}); };
    const auto after = [](std::string& out, char a, char b) { out.append({' ', a, ' ', b}); };
    spaced = substitutePairs(
        spaced, [](char a, char b) { return !isDigit(a) && isStop(b); }, before);
    spaced = substitutePairs(
        spaced, [](char a, char b) { return isStop(a) && !isDigit(b); }, after);
    spaced = substitutePairs(
        spaced, [](char a, char b) { return isDigit(a) && b == '-'; }, before);
    return splitUnicode(spaced);
}

std::vector<std::string> splitCharacters(std::string_view line) {
    std::vector<std::string> characters;
    for (const char32_t point : codePoints(line))
        if (!isUnicodeSpace(point)) characters.push_back(toUtf8({&point, 1}));
    return characters;
}

/// White space, and a hyphen between two characters becomes a word of its own (fairseq's
/// compound_split_bleu.sh). Matches do not overlap: of "a-b-c" only the first hyphen is split off.
std::vector<std::string> splitCompounds(std::string_view line) {
    std::vector<std::string> words;
    for (const std::string& token : splitUnicode(line)) {
        const std::vector<char32_t> points = codePoints(token);
        std::vector<char32_t> word;
        for (std::size_t i = 0; i < points.size(); ++i) {
            word.push_back(points[i]);
            if (i + 2 >= points.size() || points[i + 1] != U'-') continue;
            words.push_back(toUtf8(word));
            words.emplace_back("##AT##-##AT##");
            word = {points[i + 2]};
            i += 2;
        }
        if (!word.empty()) words.push_back(toUtf8(word));
    }
    return words;
}

}  // namespace

std::vector<std::string> splitUnicode(std::string_view text) {
    std::vector<std::string> words;
    std::vector<char32_t> word;
    const auto finish = [&] {
        if (!word.empty()) words.push_back(toUtf8(word));
        word.clear();
    };
    for (const char32_t point : codePoints(text)) {
        if (isUnicodeSpace(point))
            finish();
        else
            word.push_back(point);
    }
    finish();
    return words;
}

Result<NamedTokenizer> tokenizerOf(const MetricInput& input, const std::string& fallback) {
    static const std::vector<NamedTokenizer> known{
        {"13a", split13a}, {"char", splitCharacters}, {"none", splitUnicode}, {"compound", splitCompounds}};
    const auto option = input.options.find("tokenize");
    const std::string& name = option == input.options.end() ? fallback : option->second;
    const auto at =
        std::find_if(known.begin(), known.end(), [&](const NamedTokenizer& t) { return t.name == name; });
    if (at != known.end()) return *at;
    return requestError("metric.bad_option", fmt::format("there is no tokenizer “{}”", name))
        .at("tokenize")
        .fix("choose one of: 13a, char, none, compound");
}

std::vector<std::uint32_t> Vocabulary::ids(const std::vector<std::string>& words) {
    std::vector<std::uint32_t> numbers;
    numbers.reserve(words.size());
    for (const std::string& word : words)
        numbers.push_back(ids_.try_emplace(word, static_cast<std::uint32_t>(ids_.size())).first->second);
    return numbers;
}

}  // namespace kurve::metrics::detail
