#pragma once

#include <QString>
#include <vector>

#include "views/common/shell/command_registry.h"

class QDockWidget;
class QMenuBar;

namespace kurve::studio {

/// A dock and the title of its workspace.
struct DockEntry {
    QString workspace;
    QDockWidget* dock;
};

/// Rebuilds the menu bar: a menu for each category of commands, with submenus so that none has more than 12
/// entries, and under Window the docks by workspace.
void fillMenus(QMenuBar& bar, const views::CommandRegistry& commands, const std::vector<DockEntry>& docks);

}  // namespace kurve::studio
