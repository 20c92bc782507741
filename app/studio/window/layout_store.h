#pragma once

#include <QMainWindow>
#include <QTimer>
#include <vector>

#include "app/studio/session/project_session.h"
#include "app/studio/window/window_frame.h"
#include "app/studio/window/workspace.h"

namespace kurve::studio {

/// Saves and restores the layout of a window in the session: geometry, columns, docks.
class LayoutStore : public QObject {
    Q_OBJECT
public:
    struct Parts {
        QMainWindow& window;
        WindowFrame& frame;
        std::vector<Workspace*> workspaces;
    };
    LayoutStore(ProjectSession& session, Parts parts);
    void restore();
    /// The saved arrangement of a workspace's docks; empty if there is none.
    [[nodiscard]] QByteArray docksOf(WorkspaceId id) const;
    void saveSoon() { later_.start(); }
    void save();
    /// The docks of every workspace and the sides, for a named layout: without what depends on the screen or
    /// the project (geometry, columns of the run table).
    [[nodiscard]] QJsonObject arrangement();
    /// False, and nothing changes, if it is damaged.
    bool apply(const QJsonObject& arrangement);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    /// Moves and shrinks the window so that it and its frame lie on the screen.
    void fitScreen(QMargins frame = {});
    void fitFrame(int queries);

    ProjectSession& session_;
    Parts parts_;
    QTimer later_;
};

}  // namespace kurve::studio
