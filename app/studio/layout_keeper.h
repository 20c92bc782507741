#pragma once

#include <QMainWindow>
#include <QTimer>
#include <vector>

#include "app/studio/project_session.h"
#include "app/studio/window_frame.h"
#include "app/studio/workspace.h"
#include "views/runs/runs_panel.h"

namespace kurve::studio {

/// Brings a window's arrangement back from the session (geometry, columns, docks, the run table's columns and
/// filter) and keeps it there when it changes.
class LayoutKeeper : public QObject {
    Q_OBJECT
public:
    struct Parts {
        QMainWindow& window;
        WindowFrame& frame;
        views::RunsPanel& runs;
        std::vector<Workspace*> workspaces;
    };
    LayoutKeeper(ProjectSession& session, Parts parts);
    void restore();
    /// The saved arrangement of a workspace's docks; empty if there is none.
    [[nodiscard]] QByteArray docksOf(WorkspaceId id) const;
    void saveSoon() { later_.start(); }
    void save();
    /// The docks of every workspace and the sides, to be kept under a name: what fits any window, hence
    /// neither its place on the screen nor the run table's columns.
    [[nodiscard]] QJsonObject arrangement();
    /// False, and nothing changes, if it is damaged.
    bool apply(const QJsonObject& arrangement);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// Moves and shrinks the window so that it and its frame lie on the screen.
    void fitScreen(QMargins frame = {});
    void fitFrame(int asks);

    ProjectSession& session_;
    Parts parts_;
    QTimer later_;
};

}  // namespace kurve::studio
