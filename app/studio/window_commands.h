#pragma once

class QDockWidget;
class QMenuBar;

#include <vector>

#include "views/common/command_registry.h"

namespace kurve::studio {

class MainWindow;

/// Registers what the window itself can do: workspaces, palette, focus, zoom, theme, layout, help, project.
/// Each command calls one function of the window.
void addWindowCommands(MainWindow& window);

/// Fills the menu bar anew: a menu for each category of commands, and the docks under Window.
void fillMenus(QMenuBar& bar, const views::CommandRegistry& commands, const std::vector<QDockWidget*>& docks);

}  // namespace kurve::studio
