#pragma once

#include <QStringList>
#include <vector>

#include "core/store/project.h"

namespace kurve::views {

/// Ids of runs that somebody who wrote `asked` may have meant: it is their name or a part of their id or
/// name, else the one that is spelt most alike. The newest first, at most three.
[[nodiscard]] QStringList nearRuns(const QString& asked, const std::vector<store::RunSummary>& runs);

/// "There is no run X in this project; did you mean …?"
[[nodiscard]] QString noSuchRun(const QString& asked, const std::vector<store::RunSummary>& runs);

}  // namespace kurve::views
