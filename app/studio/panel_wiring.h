#pragma once

#include "app/studio/project_session.h"

namespace kurve::views {
class Panel;
}

namespace kurve::studio {

class MainWindow;

/// Joins what a panel wants (its signals) to what the window and the session can do. Called once for every
/// panel as it is made.
void wirePanel(views::Panel& panel, MainWindow& window, ProjectSession& session);

}  // namespace kurve::studio
