#include "views/states/state_order.h"

#include <QCoreApplication>
#include <QStringList>
#include <array>

#include "core/trace/marks.h"

namespace kurve::views {

namespace {

/// In display order: from final to open.
enum class Kind : unsigned char { Given, Finished, Kept, Changed, New, MaskedNext, Remasked, Masked, Pad };
constexpr std::size_t kKinds = 9;

QString nameOf(Kind kind, bool estimatesAll) {
    static const char* const kNames[kKinds] = {
        QT_TRANSLATE_NOOP("similarity", "given"),    QT_TRANSLATE_NOOP("similarity", "finished"),
        QT_TRANSLATE_NOOP("similarity", "kept"),     QT_TRANSLATE_NOOP("similarity", "changed"),
        QT_TRANSLATE_NOOP("similarity", "new"),      QT_TRANSLATE_NOOP("similarity", "masked next"),
        QT_TRANSLATE_NOOP("similarity", "remasked"), QT_TRANSLATE_NOOP("similarity", "masked"),
        QT_TRANSLATE_NOOP("similarity", "padding")};
    if (kind == Kind::New && estimatesAll) return QCoreApplication::translate("similarity", "first estimate");
    return QCoreApplication::translate("similarity", kNames[static_cast<std::size_t>(kind)]);
}

Kind kindOf(const trace::Trace& trace, const trace::TokenMarks& marks, int step, int position) {
    using S = trace::TokenState;
    switch (trace.stateAt(step, position)) {
        case S::Given:
            return Kind::Given;
        case S::Masked:
            return Kind::Masked;
        case S::Remask:
            return Kind::Remasked;
        case S::Pad:
            return Kind::Pad;
        case S::New:
            return Kind::New;
        case S::Kept:
            if (marks.committed(step, position)) return Kind::Finished;
            return marks.willMask(step, position) ? Kind::MaskedNext : Kind::Kept;
        case S::Flip:
            return marks.willMask(step, position) ? Kind::MaskedNext : Kind::Changed;
    }
    return Kind::Kept;
}

}  // namespace

StateOrder stateOrder(const trace::Trace& trace, int step, const std::vector<int>& positions) {
    const trace::TokenMarks marks(trace);
    std::array<std::vector<int>, kKinds> kinds;
    for (const int position : positions)
        kinds[static_cast<std::size_t>(kindOf(trace, marks, step, position))].push_back(position);
    StateOrder order;
    for (std::size_t kind = 0; kind < kKinds; ++kind) {
        if (kinds[kind].empty()) continue;
        order.positions.insert(order.positions.end(), kinds[kind].begin(), kinds[kind].end());
        order.groups.push_back(
            {nameOf(static_cast<Kind>(kind), trace.estimatesAll()), static_cast<int>(kinds[kind].size())});
    }
    return order;
}

QString groupsText(const std::vector<StateOrder::Group>& groups) {
    QStringList parts;
    for (const StateOrder::Group& group : groups)
        parts << QStringLiteral("%1 %2").arg(group.count).arg(group.name);
    return parts.join(QStringLiteral(", "));
}

}  // namespace kurve::views
