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

/// Actions on the draft of the launch form: train, queue, dry run, estimate, train on a distilled corpus.
/// Each shows the form first, which has the errors of an invalid draft. GUI thread.
class DraftActions : public QObject {
    Q_OBJECT
public:
    /// Both arguments outlive this.
    DraftActions(MainWindow& window, ProjectSession& session);

public Q_SLOTS:
    void train();
    void queue();
    /// Shows time and memory of a dry run in the form; again: cancels it.
    void measure();
    /// Estimates the memory, once the draft has not changed for a moment.
    void estimateSoon();
    /// `file`: the value of data.distilled_train.
    void trainOnDistilled(const QString& file);

private:
    using Request = void (DraftActions::*)();
    /// Without the engine description there is no draft: the request waits for it. True: it does.
    bool waits(Request request);
    void runWaiting();  ///< the request that waited
    /// The form's draft if it is valid; else null, with a message.
    [[nodiscard]] const views::Draft* ready();
    /// Whether the draft may start: it fits into memory, or was started twice. Else a message says why not.
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
    QString estimated_;  ///< draft that was estimated last
    QString refused_;    ///< draft whose start was refused last, for lack of memory
    Request waiting_ = nullptr;
};

}  // namespace kurve::studio
