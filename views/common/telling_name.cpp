#include "views/common/telling_name.h"

#include <algorithm>
#include <vector>

namespace kurve::views {

namespace {

const QChar kGap(0x2026);

/// What stays of a name: a beginning and an end around a gap, or a middle between two.
struct Form {
    QStringView begin, middle, end;

    [[nodiscard]] QString text() const {
        if (middle.isEmpty()) return begin.toString() + kGap + end.toString();
        return kGap + middle.toString() + kGap;
    }
    [[nodiscard]] qsizetype kept() const { return begin.size() + middle.size() + end.size(); }
    /// Whether it could stand for this name as well; a gap stands for one character or more.
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
    // The most of the name first; of equals what keeps its beginning, where the eye looks for it.
    std::stable_sort(forms.begin(), forms.end(), [](const Form& a, const Form& b) {
        return a.kept() != b.kept() ? a.kept() > b.kept() : a.begin.size() > b.begin.size();
    });
    return forms;
}

}  // namespace

QString tellingName(const QString& name, const QStringList& peers, int room,
                    const std::function<int(const QString&)>& width) {
    if (width(name) <= room) return name;
    const auto tells = [&](const Form& form) {
        return std::none_of(peers.begin(), peers.end(),
                            [&](const QString& peer) { return peer != name && form.matches(peer); });
    };
    QString fitting;
    for (const bool everywhere : {false, true}) {
        // Parts of words are many: a long name is cut at words only.
        if (everywhere && name.size() > 48) break;
        for (const Form& form : formsOf(name, bordersOf(name, everywhere))) {
            if (form.kept() == 0) break;
            const QString text = form.text();
            if (width(text) > room) continue;
            if (tells(form)) return text;
            if (fitting.isEmpty()) fitting = text;
        }
    }
    return fitting;
}

QString tellingName(const QString& name, const QStringList& peers, int characters) {
    return tellingName(name, peers, characters,
                       [](const QString& text) { return static_cast<int>(text.size()); });
}

}  // namespace kurve::views
