#pragma once

#include <QString>
#include <optional>
#include <vector>

#include "views/common/shell/panel.h"

namespace kurve::studio {

enum class WorkspaceId : unsigned char { Train, Inspect, Compare, Data };
inline constexpr int kWorkspaces = 4;
[[nodiscard]] QString workspaceName(WorkspaceId id);  ///< "train", as on the command line and in sessions
[[nodiscard]] std::optional<WorkspaceId> workspaceOf(const QString& name);  ///< nullopt: there is none
[[nodiscard]] QString workspaceTitle(WorkspaceId id);                       ///< "Train"

/// Default placement of a panel's dock in its workspace, relative to those listed before it. Beside: to the
/// right where the workspace is wide, else below. Bar: first, in full width and without a title.
enum class DockPlacement : unsigned char { First, Bar, Right, Below, Beside, Tab };

/// A panel of a workspace: one line in panels.cpp. Made when its workspace is first opened.
struct PanelKind {
    QString id, title;
    WorkspaceId workspace = WorkspaceId::Train;
    DockPlacement placement = DockPlacement::First;
    QString anchor;    ///< id of the panel that it is placed relative to
    int percent = 50;  ///< its percentage of the space split with the anchor
    views::Panel* (*make)(const views::StudioContext& context) = nullptr;
    bool states = true;  ///< its statement is shown below it; false where the panel itself says the same
};
[[nodiscard]] const std::vector<PanelKind>& panelKinds();
[[nodiscard]] const PanelKind* kindOf(const QString& panel);  ///< null: none of a workspace
/// The panels at the sides of every workspace.
[[nodiscard]] views::Panel* makeRunList(const views::StudioContext& context);
[[nodiscard]] views::Panel* makeInspector(const views::StudioContext& context);

}  // namespace kurve::studio
