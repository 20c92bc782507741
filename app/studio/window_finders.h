#pragma once

#include <QObject>

#include "app/studio/overlay.h"
#include "app/studio/panels.h"
#include "app/studio/project_session.h"
#include "app/studio/status_line.h"

namespace kurve::studio {

/// What the palette finds: commands, runs, messages, projects.
class WindowFinders : public QObject {
    Q_OBJECT
public:
    struct Parts {
        QWidget& window;
        const views::CommandRegistry& commands;
        const StatusLine& status;
        Palette& palette;
    };
    /// What `parts` names outlives this.
    WindowFinders(const Parts& parts, ProjectSession& session) : parts_(parts), session_(session) {}

    void commands();  ///< and the panels to go to
    void runs();
    void messages();  ///< what was said, the newest first
    void projects();  ///< those opened lately
    void chooseProject();
    void newProject();  ///< a card with the form for a project from a template

Q_SIGNALS:
    void projectChosen(const QString& folder);
    void panelChosen(kurve::studio::WorkspaceId id, const QString& panel);

private:
    Parts parts_;
    ProjectSession& session_;
    Overlay* newProject_ = nullptr;  ///< made when it is first wanted; the window's
};

}  // namespace kurve::studio
