#pragma once

#include <vector>

#include "views/compare/compared_run.h"

namespace kurve::views {

/// The settings in which the runs differ, one row each; first those that all runs have.
[[nodiscard]] std::vector<CellRow> differingSettings(const std::vector<ComparedRun>& runs);

}  // namespace kurve::views
