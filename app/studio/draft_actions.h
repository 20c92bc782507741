#pragma once

#include <QObject>
#include <QPointer>
#include <QTimer>
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
    DraftActions(MainWindow& window, ProjectSession& session);

public Q_SLOTS:
    void train();
    void queue();
    /// Measures it with a dry run and shows in the form what it will take; again: cancels that.
    void measure();
    /// Asks the engine, once nobody has changed the draft for a moment, how much memory it takes.
    void estimateSoon();
    /// `file`: what data.kd is to name.
    void trainOnDistilled(const QString& file);

private:
    using Wish = void (DraftActions::*)();
    /// Until the engine has said what it knows there is no draft: the wish waits for that. True: it does.
    bool waits(Wish wish);
    void goOn();  ///< with the wish that waited
    /// The form's draft if it can be trained; else null, and the window says why not.
    [[nodiscard]] const views::Draft* ready();
    /// Whether the draft may start: it fits into memory, or somebody insists by asking again. Says why not.
    [[nodiscard]] bool fits();
    [[nodiscard]] QString draftText() const;
    void estimate();
    void estimateNext(std::vector<QStringList> runs, nlohmann::json most);
    [[nodiscard]] bool stillDrafted(const std::vector<QStringList>& runs);
    void measureNext(std::vector<QStringList> runs, std::vector<nlohmann::json> known);

    MainWindow& window_;
    ProjectSession& session_;
    QPointer<EngineCall> measuring_, estimating_;
    QTimer settle_;
    QString estimated_;  ///< draft that the engine was asked about last
    QString refused_;    ///< draft whose start was refused last, for want of memory
    Wish waiting_ = nullptr;
};

}  // namespace kurve::studio
