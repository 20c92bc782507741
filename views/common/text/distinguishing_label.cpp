#include "views/common/text/distinguishing_label.h"

#include <algorithm>
#include <vector>

namespace kurve::views {

namespace {

const QChar kGap(0x2026);

/// The remaining part of a name: a beginning and an end around a gap, or a middle between two gaps.
struct Form {
    QStringView begin, middle, end;

    [[nodiscard]] QString text() const {
        if (middle.isEmpty()) return begin.toString() + kGap + end.toString();
        return kGap + middle.toString() + kGap;
    }
    [[nodiscard]] qsizetype length() const { return begin.size() + middle.size() + end.size(); }
    /// Whether it matches this name as well; a gap matches one or more characters.
    [[nodiscard]] bool matches(const QString& other) const {
        if (!middle.isEmpty()) return QStringView(other).mid(1).chopped(1).contains(middle);
        return other.size() > begin.size() + end.size() && other.startsWith(begin) && other.endsWith(end);
    }
};

/// Where words begin, with 0 and the length.
std::vector<qsizetype> bordersOf(const QString& name, bool everywhere) {
    std::vector<qsizetype> borders{0};
    for (qsizetype i = 1; i < name.size(); ++i)
        if (everywhere || QStringLiteral("-_./: ").contains(name[i - 1])) borders.push_back(i);
    borders.push_back(name.size());
    return borders;
}

std::vector<Form> formsOf(const QString& name, const std::vector<qsizetype>& borders) {
    std::vector<Form> forms;
    const QStringView all(name);
    for (const qsizetype from : borders)
        for (const qsizetype to : borders) {
            if (from >= to) continue;
            if (to - from < name.size()) forms.push_back({all.left(from), {}, all.mid(to)});
            if (from > 0 && to < name.size()) forms.push_back({{}, all.mid(from, to - from), {}});
        }
    // The longest form first; of equal ones the one with the longer beginning.
    std::stable_sort(forms.begin(), forms.end(), [](const Form& a, const Form& b) {
        return a.length() != b.length() ? a.length() > b.length() : a.begin.size() > b.begin.size();
    });
    return forms;
}

}  // namespace

QString distinguishingLabel(const QString& name, const QStringList& peers, int available,
                            const std::function<int(const QString&)>& width) {
    if (width(name) <= available) return name;
    const auto isUnique = [&](const Form& form) {
        return std::none_of(peers.begin(), peers.end(),
                            [&](const QString& peer) { return peer != name && form.matches(peer); });
    };
    QString fitting;
    for (const bool everywhere : {false, true}) {
        // A long name is elided at word borders only: it has too many other forms.
        if (everywhere && name.size() > 48) break;
        for (const Form& form : formsOf(name, bordersOf(name, everywhere))) {
            if (form.length() == 0) break;
            const QString text = form.text();
            if (width(text) > available) continue;
            if (isUnique(form)) return text;
            if (fitting.isEmpty()) fitting = text;
        }
    }
    return fitting;
}

QString distinguishingLabel(const QString& name, const QStringList& peers, int characters) {
    return distinguishingLabel(name, peers, characters,
                               [](const QString& text) { return static_cast<int>(text.size()); });
}

}  // namespace kurve::views
