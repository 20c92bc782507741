#pragma once

#include <QStringList>

#include "views/common/data/run_catalog.h"

namespace kurve::views {

/// The facts of a run besides its settings, as an HTML table for a label: progress, the run that it
/// reproduces (a link to its id), its size on disk by kind, the project's state in git (a link to
/// kProjectChangesLink), and the program and machine that trained it. `maybeData` is null until the run's
/// record has been read. `away`: checkpointsAway(), which take no space here.
[[nodiscard]] QString runFacts(const store::RunSummary& run, const RunData* maybeData,
                               bool dataIsAsRecorded = false, const QStringList& away = {});

}  // namespace kurve::views
