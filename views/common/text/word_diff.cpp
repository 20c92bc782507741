#include "views/common/text/word_diff.h"

#include <QStringList>
#include <algorithm>

#include "views/common/theme/theme.h"

namespace kurve::views {

namespace {

constexpr qsizetype kMaxWords = 2000;

void append(std::vector<DiffPart>& parts, DiffPart::Kind kind, const QString& word) {
    if (!parts.empty() && parts.back().kind == kind)
        parts.back().text += QLatin1Char(' ') + word;
    else
        parts.push_back({kind, word});
}

}  // namespace

std::vector<DiffPart> wordDiff(const QString& from, const QString& to) {
    using Kind = DiffPart::Kind;
    const QStringList a = from.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    const QStringList b = to.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    std::vector<DiffPart> parts;
    if (a.size() > kMaxWords || b.size() > kMaxWords) {
        if (from == to) return {{Kind::Same, to}};
        return {{Kind::Removed, from}, {Kind::Added, to}};
    }
    // length[i][j]: longest common subsequence of a[i..] and b[j..].
    const auto width = static_cast<std::size_t>(b.size()) + 1;
    std::vector<int> length((static_cast<std::size_t>(a.size()) + 1) * width, 0);
    const auto at = [&](qsizetype i, qsizetype j) -> int& {
        return length[static_cast<std::size_t>(i) * width + static_cast<std::size_t>(j)];
    };
    for (qsizetype i = a.size() - 1; i >= 0; --i)
        for (qsizetype j = b.size() - 1; j >= 0; --j)
            at(i, j) = a[i] == b[j] ? at(i + 1, j + 1) + 1 : std::max(at(i + 1, j), at(i, j + 1));
    qsizetype i = 0, j = 0;
    while (i < a.size() || j < b.size()) {
        if (i < a.size() && j < b.size() && a[i] == b[j]) {
            append(parts, Kind::Same, b[j]);
            ++i, ++j;
        } else if (i < a.size() && (j == b.size() || at(i + 1, j) >= at(i, j + 1))) {
            append(parts, Kind::Removed, a[i++]);
        } else {
            append(parts, Kind::Added, b[j++]);
        }
    }
    return parts;
}

QString diffHtml(const QString& from, const QString& to, bool showRemoved) {
    const Theme& t = theme();
    QStringList html;
    for (const DiffPart& part : wordDiff(from, to)) {
        const QString text = part.text.toHtmlEscaped();
        switch (part.kind) {
            case DiffPart::Kind::Same:
                html << text;
                break;
            case DiffPart::Kind::Added:
                html << QStringLiteral("<span style=\"background:%1\">%2</span>").arg(t.added.name(), text);
                break;
            case DiffPart::Kind::Removed:
                if (showRemoved)
                    html << QStringLiteral("<s style=\"color:%1\">%2</s>").arg(t.muted.name(), text);
                break;
        }
    }
    return html.join(QLatin1Char(' '));
}

}  // namespace kurve::views
