#pragma once

namespace kurve::studio {

class MainWindow;

/// Registers what the window itself can do: workspaces, palette, focus, zoom, theme, layout, help, project.
/// Each command calls one function of the window.
void addWindowCommands(MainWindow& window);

}  // namespace kurve::studio
