#pragma once

#include "app/studio/project_session.h"

namespace kurve::views {
class Panel;
}

namespace kurve::studio {

class MainWindow;

/// Connects the signals of a panel to the window and the session. Called once for every panel when it is
/// made.
void wirePanel(views::Panel& panel, MainWindow& window, ProjectSession& session);

}  // namespace kurve::studio
