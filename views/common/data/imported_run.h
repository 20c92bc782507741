#pragma once

#include "views/common/data/run_catalog.h"

namespace kurve::views {

/// The run came from another program (interop::importRuns): it holds curves by that program's names, and
/// neither settings nor a model.
[[nodiscard]] bool isImported(const RunData& data);

}  // namespace kurve::views
