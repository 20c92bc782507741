#pragma once

#include <QStringList>

namespace kurve::studio {

class MainWindow;
class ProjectSession;

/// Selects the runs that the command line names. Once the runs are read it says which of them are unknown;
/// unknown ones stay selected only where all are, so that the inspector can suggest others.
void selectRequestedRuns(const QStringList& ids, MainWindow& window, ProjectSession& session);

}  // namespace kurve::studio
