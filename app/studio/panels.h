#pragma once

#include <QString>
#include <vector>

#include "views/common/panel.h"

namespace kurve::studio {

enum class WorkspaceId : unsigned char { Train, Inspect, Compare, Data };
inline constexpr int kWorkspaces = 4;
[[nodiscard]] QString workspaceName(WorkspaceId id);   ///< "train", as on the command line
[[nodiscard]] QString workspaceTitle(WorkspaceId id);  ///< "Train"

/// Where a panel's dock goes in its workspace, relative to those listed before it.
enum class Place : unsigned char { First, Right, Below, Tab };

/// A panel of a workspace: one line in panels.cpp. Made when its workspace is first opened.
struct PanelKind {
    QString id, title;
    WorkspaceId workspace = WorkspaceId::Train;
    Place place = Place::First;
    QString anchor;  ///< id of the panel it is placed against
    int share = 50;  ///< its percentage of the space split with the anchor
    views::Panel* (*make)(const views::StudioContext& context) = nullptr;
};
[[nodiscard]] const std::vector<PanelKind>& panelKinds();

}  // namespace kurve::studio
