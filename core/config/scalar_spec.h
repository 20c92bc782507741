#pragma once

#include <string>
#include <vector>

namespace kurve {

/// A number that training logs: what an axis, a tooltip and a best-run column say of it. Those of every
/// training stand in core/metrics; a family declares its own (Schema::scalars).
struct ScalarSpec {
    std::string id, title, unit, doc;
    bool higherIsBetter = false;
    bool logScale = false;  ///< drawn on a log axis at first
    /// The monitor's chart that draws it; those of one name share it, and where the name is a scalar's id, it
    /// is there with its validation twin. Empty: none of its own.
    std::string chart = {};
};

/// The parts of a loss, each followed by its twin of the validation split: "valid_" before the id.
[[nodiscard]] std::vector<ScalarSpec> withValidation(const std::vector<ScalarSpec>& parts);

}  // namespace kurve
