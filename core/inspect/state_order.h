#pragma once

#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace kurve::inspect {

/// Positions in groups by their state at a step: given, finished, kept, changed, new, masked next,
/// remasked, masked, padding, as far as the trace has them. Within a group as in the sentence.
struct StateOrder {
    struct Group {
        std::string name;
        int count = 0;
        bool operator==(const Group&) const = default;
    };
    std::vector<int> positions;
    std::vector<Group> groups;  ///< one after the other along `positions`; none is empty
};
/// Of these positions of the trace.
[[nodiscard]] StateOrder stateOrder(const trace::Trace& trace, int step, const std::vector<int>& positions);
/// "12 kept, 3 changed"
[[nodiscard]] std::string groupsText(const std::vector<StateOrder::Group>& groups);

}  // namespace kurve::inspect
