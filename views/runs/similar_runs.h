#pragma once

#include <QStringList>
#include <vector>

#include "core/store/project.h"

namespace kurve::views {

/// Ids of runs similar to `query`: it is their name or a part of their id or name, else the one with the
/// smallest edit distance. The newest first, at most three.
[[nodiscard]] QStringList similarRuns(const QString& query, const std::vector<store::RunSummary>& runs);

/// "No run X in this project; did you mean …?"
[[nodiscard]] QString unknownRunText(const QString& query, const std::vector<store::RunSummary>& runs);

}  // namespace kurve::views
