#pragma once

#include <QString>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::views {

/// Slots in groups by what happened to them at a step: given, finished, kept, changed, newly written, masked
/// next, masked again, masked, padding, as far as the trace tells. Within a group as in the sentence.
struct StateOrder {
    struct Group {
        QString name;
        int count = 0;
        bool operator==(const Group&) const = default;
    };
    std::vector<int> slots;
    std::vector<Group> groups;  ///< one after the other along `slots`; none is empty
};
/// Of these slots of the trace.
[[nodiscard]] StateOrder stateOrder(const trace::Trace& trace, int step, const std::vector<int>& slots);
/// "12 kept, 3 changed"
[[nodiscard]] QString groupsText(const std::vector<StateOrder::Group>& groups);

}  // namespace kurve::views
