#pragma once

#include <QObject>
#include <QTimer>
#include <filesystem>
#include <functional>
#include <vector>

#include "app/studio/session/project_session.h"
#include "app/studio/window/overlay.h"
#include "app/studio/window/status_line.h"

namespace kurve::studio {

/// The recent projects that still exist, but `current`; choosing one calls `open` with its folder.
[[nodiscard]] std::vector<Palette::Item> projectItems(const std::filesystem::path& current,
                                                      const std::function<void(const QString&)>& open);

/// The entries of the palette: commands, panels, runs, messages, projects.
class WindowFinders : public QObject {
    Q_OBJECT
public:
    struct Parts {
        QWidget& window;
        const views::CommandRegistry& commands;
        const StatusLine& status;
        Palette& palette;
        /// Makes the panels of one more workspace, with their commands; false: all are there.
        std::function<bool()> makeMore;
    };
    /// What `parts` names outlives this.
    WindowFinders(const Parts& parts, ProjectSession& session);

    void commands();  ///< and panels
    void runs();
    void messages();  ///< newest first
    void projects();  ///< recent ones
    void chooseProject();
    void newProject();  ///< a card with the form for a project from a template

Q_SIGNALS:
    void projectChosen(const QString& folder);
    void panelChosen(const QString& panel);

private:
    [[nodiscard]] std::vector<Palette::Item> allCommands();
    void findMore();

    Parts parts_;
    ProjectSession& session_;
    QTimer more_;  ///< runs while workspaces are without their panels and the palette is open
    Overlay* newProject_ = nullptr;  ///< made when it is first opened; the window's
};

}  // namespace kurve::studio
