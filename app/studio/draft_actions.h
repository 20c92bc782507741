#pragma once

#include <QObject>
#include <QPointer>
#include <nlohmann/json.hpp>
#include <vector>

#include "app/studio/engine_call.h"
#include "app/studio/project_session.h"

namespace kurve::views {
class Draft;
}

namespace kurve::studio {

class MainWindow;

/// What is done with the draft of the launch form: trained, queued, measured, pointed at a corpus. Each of
/// them shows the form first, which says why if it cannot be. GUI thread.
class DraftActions : public QObject {
    Q_OBJECT
public:
    /// Both arguments outlive this.
    DraftActions(MainWindow& window, ProjectSession& session) : window_(window), session_(session) {}

public Q_SLOTS:
    void train();
    void queue();
    /// Measures it with a dry run and shows in the form what it will take; again: cancels that.
    void measure();
    /// `file`: what data.kd is to name.
    void trainOnDistilled(const QString& file);

private:
    /// The form's draft if it can be trained; else null, and the window says why not.
    [[nodiscard]] const views::Draft* ready();
    [[nodiscard]] bool stillDrafted(const std::vector<QStringList>& runs);
    void measureNext(std::vector<QStringList> runs, std::vector<nlohmann::json> known);

    MainWindow& window_;
    ProjectSession& session_;
    QPointer<EngineCall> measuring_;
};

}  // namespace kurve::studio
