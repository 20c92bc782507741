#pragma once

#include <QLabel>
#include <QPushButton>
#include <array>

#include "app/studio/panels.h"
#include "views/common/shell/command_registry.h"

namespace kurve::studio {

/// The strip under the menus: the project's name, the workspaces as tabs, the way into the palette, and how
/// many runs are live.
class WindowHeader : public QWidget {
    Q_OBJECT
public:
    WindowHeader(const store::Project& project, const views::CommandRegistry& commands,
                 QWidget* parent = nullptr);
    void showWorkspace(WorkspaceId id);
    void showLiveCount(int count);

Q_SIGNALS:
    void workspaceChosen(kurve::studio::WorkspaceId id);
    void searchClicked();
    void projectClicked();

private:
    QPushButton* makeTab(WorkspaceId id);
    QPushButton* makeSearch();
    void showKeys();

    const views::CommandRegistry& commands_;
    std::array<QPushButton*, kWorkspaces> tabs_{};
    QPushButton* search_ = nullptr;
    QLabel* live_;
};

}  // namespace kurve::studio
