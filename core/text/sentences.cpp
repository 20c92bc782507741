#include "core/text/sentences.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>
#include <span>

#include "core/base/text.h"
#include "core/text/detail/sentence_marks.h"
#include "core/text/lower_case.h"

namespace kurve::text {
namespace {

using Points = std::span<const char32_t>;

/// Lower case, without the last dot.
constexpr std::array kAbbreviations = {"mr",  "mrs", "ms",  "messrs", "mme", "mlle", "dr",   "prof", "rev",
                                       "hon", "st",  "sr",  "jr",     "gen", "col",  "capt", "lt",   "sgt",
                                       "gov", "mt",  "vs",  "cf",     "viz", "e.g",  "i.e",  "ca",   "hr",
                                       "z.b", "d.h", "u.a", "bzw",    "vgl", "m",    "sra",  "sres"};
constexpr std::array kBeforeNumbers = {"no", "nos",  "nr",  "vol", "p",  "pp",
                                       "ch", "chap", "fig", "art", "sec"};

utf8proc_category_t category(char32_t p) {
    return utf8proc_category(static_cast<utf8proc_int32_t>(p));
}
bool isLetter(char32_t p) {
    return category(p) >= UTF8PROC_CATEGORY_LU && category(p) <= UTF8PROC_CATEGORY_LO;
}
bool isNumber(char32_t p) {
    return category(p) >= UTF8PROC_CATEGORY_ND && category(p) <= UTF8PROC_CATEGORY_NO;
}
bool isSpace(char32_t p) {
    const auto c = category(p);
    return (p >= 9 && p <= 13) || p == 0x85 || (c >= UTF8PROC_CATEGORY_ZS && c <= UTF8PROC_CATEGORY_ZP);
}
bool isQuoteOrBracket(char32_t p) {
    const auto c = category(p);
    return p == U'"' || p == U'\'' || c == UTF8PROC_CATEGORY_PS || c == UTF8PROC_CATEGORY_PE ||
           c == UTF8PROC_CATEGORY_PI || c == UTF8PROC_CATEGORY_PF;
}
bool isOpening(char32_t p) {
    return isQuoteOrBracket(p) && category(p) != UTF8PROC_CATEGORY_PE;
}
bool isClosing(char32_t p) {
    return isQuoteOrBracket(p) && category(p) != UTF8PROC_CATEGORY_PS;
}

bool isFullStop(char32_t p) {
    return p == U'.' || p == 0x2024 || p == 0x2026 || p == 0xFE52 || p == 0xFF0E;
}
bool isMark(char32_t p) {
    if (p == U'!' || p == U'?' || isFullStop(p)) return true;
    const auto after = std::upper_bound(
        detail::kSentenceMarks.begin(), detail::kSentenceMarks.end(), p,
        [](char32_t point, const std::pair<char32_t, char32_t>& range) { return point < range.first; });
    return after != detail::kSentenceMarks.begin() && p <= std::prev(after)->second;
}
/// Ends a sentence without white space behind it; … ‼ ‽ are used as the marks of ASCII are.
bool endsAtOnce(char32_t p) {
    return p >= 0x80 && !(p >= 0x2000 && p <= 0x206F) && isMark(p);
}

/// Every run of white space as one space, none at the ends.
std::vector<char32_t> spacedOnce(std::string_view text) {
    std::vector<char32_t> out;
    for (const char32_t p : codePoints(text)) {
        if (!isSpace(p))
            out.push_back(p);
        else if (!out.empty() && out.back() != U' ')
            out.push_back(U' ');
    }
    if (!out.empty() && out.back() == U' ') out.pop_back();
    return out;
}

Points trimmed(Points text) {
    while (!text.empty() && text.front() == U' ') text = text.subspan(1);
    while (!text.empty() && text.back() == U' ') text = text.first(text.size() - 1);
    return text;
}

template <class List>
bool contains(const List& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
}

/// Whether the "." behind `sentence` belongs to its last word; `next`: the first letter or digit behind.
bool isAbbreviation(Points sentence, char32_t next) {
    if (!sentence.empty() && std::all_of(sentence.begin(), sentence.end(), isNumber)) return true;
    std::size_t from = sentence.size();
    while (from > 0 && (isLetter(sentence[from - 1]) || sentence[from - 1] == U'.')) --from;
    const Points word = sentence.subspan(from);
    if (word.empty()) return false;
    const bool alone = word.size() == 1 || word[word.size() - 2] == U'.';
    if (alone && category(word.back()) == UTF8PROC_CATEGORY_LU && !(word.size() == 1 && word[0] == U'I'))
        return true;
    const std::string lower = lowerCase(toUtf8(word));
    return contains(kAbbreviations, lower) || (isNumber(next) && contains(kBeforeNumbers, lower));
}

/// Of quotes that may open as well, those before a letter do.
bool closesAt(Points text, std::size_t at) {
    const char32_t p = text[at];
    if (!isClosing(p)) return false;
    const bool either = p == U'"' || p == U'\'' || category(p) == UTF8PROC_CATEGORY_PI;
    const char32_t next = at + 1 < text.size() ? text[at + 1] : U' ';
    return !either || !(isLetter(next) || isNumber(next));
}

/// Where the run of marks at `at` ends, and what closes behind it.
struct MarkRun {
    std::size_t marks, end;
};
MarkRun markRun(Points text, std::size_t at) {
    MarkRun run{at, at};
    while (run.marks < text.size() && isMark(text[run.marks])) ++run.marks;
    run.end = run.marks;
    while (run.end < text.size() && closesAt(text, run.end)) ++run.end;
    return run;
}

bool endsSentence(Points text, std::size_t begin, std::size_t at, MarkRun run) {
    if (run.end == text.size()) return true;
    const Points marks = text.subspan(at, run.marks - at);
    if (std::any_of(marks.begin(), marks.end(), endsAtOnce)) return !isNumber(text[run.end]);
    if (text[run.end] != U' ') return false;
    std::size_t next = run.end + 1;
    while (next < text.size() && isOpening(text[next])) ++next;
    const char32_t first = next < text.size() ? text[next] : U' ';
    if (category(first) == UTF8PROC_CATEGORY_LL) return false;
    const bool oneStop = marks.size() == 1 && marks[0] == U'.' && run.end == run.marks;
    return !oneStop || !isAbbreviation(trimmed(text.subspan(begin, at - begin)), first);
}

// ---- the cap ------------------------------------------------------------------------------------------

constexpr int kLevels = 4;  // sentence marks, semicolons and colons, commas, spaces

bool separates(char32_t p, int level) {
    const auto is = [p](std::u32string_view marks) { return marks.find(p) != std::u32string_view::npos; };
    if (level == 0) return isMark(p);
    if (level == 1) return is(U";:；：؛·");
    return level == 2 ? is(U",，、،") : p == U' ';
}

/// Whether a piece may end behind text[at]: marks of ASCII stand inside numbers and addresses too.
bool isCut(Points text, std::size_t at, int level) {
    if (!separates(text[at], level)) return false;
    return level == kLevels - 1 || text[at] >= 0x80 || at + 1 == text.size() || text[at + 1] == U' ';
}

void cutAnywhere(Points text, std::size_t cap, std::vector<Points>& out) {
    while (text.size() > cap) {
        std::size_t cut = 0;
        utf8proc_int32_t state = 0;
        for (std::size_t at = 1; at <= cap; ++at)
            if (utf8proc_grapheme_break_stateful(static_cast<utf8proc_int32_t>(text[at - 1]),
                                                 static_cast<utf8proc_int32_t>(text[at]), &state))
                cut = at;
        if (cut == 0) cut = cap;
        out.push_back(text.first(cut));
        text = text.subspan(cut);
    }
    if (!text.empty()) out.push_back(text);
}

void cutAtCap(Points text, std::size_t cap, int level, std::vector<Points>& out) {
    text = trimmed(text);
    if (text.size() <= cap) {
        if (!text.empty()) out.push_back(text);
        return;
    }
    if (level == kLevels) return cutAnywhere(text, cap, out);
    std::size_t begin = 0, end = 0;  // of the piece that grows
    for (std::size_t at = 0; at < text.size(); ++at) {
        if (at + 1 < text.size() && !isCut(text, at, level)) continue;
        if (end > begin && trimmed(text.subspan(begin, at + 1 - begin)).size() > cap) {
            cutAtCap(text.subspan(begin, end - begin), cap, level + 1, out);
            begin = end;
        }
        end = at + 1;
    }
    cutAtCap(text.subspan(begin), cap, level + 1, out);
}

void addCapped(Points sentence, std::size_t cap, std::vector<std::string>& out) {
    std::vector<Points> pieces;
    cutAtCap(sentence, std::max<std::size_t>(cap, 1), 0, pieces);
    for (const Points piece : pieces)
        if (std::any_of(piece.begin(), piece.end(), [](char32_t p) { return isLetter(p) || isNumber(p); }))
            out.push_back(toUtf8(piece));
}

}  // namespace

std::vector<std::string> sentencesOf(std::string_view text, std::size_t cap) {
    const std::vector<char32_t> points = spacedOnce(text);
    const Points all(points);
    std::vector<std::string> out;
    std::size_t begin = 0;
    for (std::size_t at = 0; at < all.size();) {
        if (!isMark(all[at])) {
            ++at;
            continue;
        }
        const MarkRun run = markRun(all, at);
        if (endsSentence(all, begin, at, run)) {
            addCapped(all.subspan(begin, run.end - begin), cap, out);
            begin = run.end;
        }
        at = run.end;
    }
    addCapped(all.subspan(begin), cap, out);
    return out;
}

std::vector<std::string> capped(std::string_view sentence, std::size_t cap) {
    const std::vector<char32_t> points = spacedOnce(sentence);
    std::vector<std::string> out;
    addCapped(points, cap, out);
    return out;
}

}  // namespace kurve::text
