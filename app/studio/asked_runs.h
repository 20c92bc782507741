#pragma once

#include <QStringList>

namespace kurve::studio {

class MainWindow;
class ProjectSession;

/// Selects the runs that the command line names. Once the runs are read it says which of them the project
/// does not have; these stay selected only where none is there, so that the inspector can say what there is
/// instead.
void selectAsked(const QStringList& ids, MainWindow& window, ProjectSession& session);

}  // namespace kurve::studio
