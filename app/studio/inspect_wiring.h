#pragma once

#include "app/studio/project_session.h"
#include "views/common/panel.h"

namespace kurve::studio {

class MainWindow;

/// Connects a panel of the Inspect workspace (prompt bar, timeline, sentence curve, token similarity) to the
/// session; leaves others alone. What it asks of a loaded model goes to the engine that is there for that, or
/// to a training that stands where the recording was made.
void wireInspectPanel(views::Panel& panel, MainWindow& window, ProjectSession& session);

}  // namespace kurve::studio
