#include "core/store/notes.h"

#include <algorithm>
#include <cstddef>
#include <vector>

namespace kurve::store {

namespace {

using Lines = std::vector<std::string>;

Lines linesOf(const std::string& text) {
    Lines lines;
    for (std::size_t from = 0; from < text.size() || (from == text.size() && from > 0);) {
        const std::size_t end = std::min(text.find('\n', from), text.size());
        lines.push_back(text.substr(from, end - from));
        from = end + 1;
    }
    return lines;
}

/// Lines [from, to) of the base are `lines` now.
struct Change {
    std::ptrdiff_t from = 0, to = 0;
    Lines lines;
};

Change changeOf(const Lines& base, const Lines& now) {
    const auto [first, nowFirst] = std::mismatch(base.begin(), base.end(), now.begin(), now.end());
    auto last = base.end(), nowLast = now.end();
    while (last != first && nowLast != nowFirst && *(last - 1) == *(nowLast - 1)) --last, --nowLast;
    return {first - base.begin(), last - base.begin(), {nowFirst, nowLast}};
}

void append(Lines& to, const Lines& from, std::ptrdiff_t first, std::ptrdiff_t last) {
    to.insert(to.end(), from.begin() + first, from.begin() + last);
}

/// As if it had changed those lines of the base, of which it changed some.
void widen(Change& change, const Lines& base, std::ptrdiff_t from, std::ptrdiff_t to) {
    Lines lines;
    append(lines, base, from, change.from);
    lines.insert(lines.end(), change.lines.begin(), change.lines.end());
    append(lines, base, change.to, to);
    change = {from, to, std::move(lines)};
}

}  // namespace

std::string mergeNotes(const std::string& base, const std::string& mine, const std::string& theirs) {
    if (mine == theirs || theirs == base) return mine;
    if (mine == base) return theirs;
    const Lines lines = linesOf(base);
    Change first = changeOf(lines, linesOf(mine)), second = changeOf(lines, linesOf(theirs));
    const bool isPlace = first.from == first.to && second.from == second.to;  // both add lines there
    if (second.to <= first.from && !(isPlace && second.from == first.from)) std::swap(first, second);
    if (first.to > second.from) {
        const auto from = std::min(first.from, second.from), to = std::max(first.to, second.to);
        widen(first, lines, from, to);
        widen(second, lines, from, to);
    }
    Lines merged;
    append(merged, lines, 0, first.from);
    merged.insert(merged.end(), first.lines.begin(), first.lines.end());
    append(merged, lines, first.to, std::max(first.to, second.from));
    merged.insert(merged.end(), second.lines.begin(), second.lines.end());
    append(merged, lines, second.to, static_cast<std::ptrdiff_t>(lines.size()));
    std::string text;
    for (std::size_t i = 0; i < merged.size(); ++i) text += (i > 0 ? "\n" : "") + merged[i];
    return text;
}

}  // namespace kurve::store
