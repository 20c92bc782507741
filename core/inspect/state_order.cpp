#include "core/inspect/state_order.h"

#include <fmt/format.h>

#include <array>

#include "core/trace/marks.h"

namespace kurve::inspect {

namespace {

/// In display order: from final to open.
enum class Kind : unsigned char { Given, Finished, Kept, Changed, New, MaskedNext, Remasked, Masked, Pad };
constexpr std::size_t kKinds = 9;

std::string nameOf(Kind kind, bool estimatesAll) {
    static const char* const kNames[kKinds] = {"given",       "finished", "kept",   "changed", "new",
                                               "masked next", "remasked", "masked", "padding"};
    if (kind == Kind::New && estimatesAll) return "first estimate";
    return kNames[static_cast<std::size_t>(kind)];
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

std::string groupsText(const std::vector<StateOrder::Group>& groups) {
    std::string text;
    for (const StateOrder::Group& group : groups)
        text += fmt::format("{}{} {}", text.empty() ? "" : ", ", group.count, group.name);
    return text;
}

}  // namespace kurve::inspect
