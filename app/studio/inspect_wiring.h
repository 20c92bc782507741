#pragma once

#include "app/studio/project_session.h"
#include "views/common/panel.h"

namespace kurve::studio {

class MainWindow;

/// Connects a panel of the Inspect workspace (prompt bar, timeline, sentence curve, token similarity) to the
/// session; leaves others alone. Requests for a loaded model go to the inference engine, or to a training
/// that is paused at the step of the trace.
void wireInspectPanel(views::Panel& panel, MainWindow& window, ProjectSession& session);

}  // namespace kurve::studio
