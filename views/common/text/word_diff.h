#pragma once

#include <QString>
#include <vector>

namespace kurve::views {

/// Consecutive words that both texts have, or only one.
struct DiffPart {
    enum class Kind : unsigned char { Same, Added, Removed } kind = Kind::Same;
    QString text;
};
/// Shortest edit from `from` to `to` by words (longest common subsequence). Texts over 2,000 words are
/// compared whole.
[[nodiscard]] std::vector<DiffPart> wordDiff(const QString& from, const QString& to);
/// `to` as rich text with what differs from `from` marked: added words on a tinted ground, removed ones
/// struck through (shape and colour). `showRemoved` = false leaves the removed words out.
[[nodiscard]] QString diffHtml(const QString& from, const QString& to, bool showRemoved = true);

}  // namespace kurve::views
