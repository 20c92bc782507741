#include "app/studio/draft_actions.h"

#include <QDockWidget>
#include <algorithm>

#include "app/studio/main_window.h"
#include "views/launch/launch_panel.h"
#include "views/launch/plan_bar.h"

namespace kurve::studio {

using namespace views;

const Draft* DraftActions::ready() {
    window_.openWorkspace(WorkspaceId::Train);
    LaunchPanel* launch = window_.launchPanel();
    if (findEngineProgram().isEmpty()) {
        window_.say(QString::fromStdString(engineMissing().text()));
        return nullptr;
    }
    if (launch) launch->draft().checkFile();
    if (launch && launch->draft().isValid()) return &launch->draft();
    if (launch) launch->focusFirstError();
    window_.say(tr("The draft cannot start yet: the form says why."));
    return nullptr;
}

void DraftActions::trainOnDistilled(const QString& file) {
    window_.openWorkspace(WorkspaceId::Train);
    if (LaunchPanel* launch = window_.launchPanel())
        launch->useSettings(
            {{QStringLiteral("data.kind"), QStringLiteral("kd")}, {QStringLiteral("data.kd"), file}});
}

void DraftActions::queue() {
    const Draft* draft = ready();
    if (!draft) return;
    std::vector<QueueItem> items;
    for (std::size_t run = 0; run < draft->runs().size(); ++run) items.push_back(draft->queueItem(run));
    session_.queue.add(std::move(items));
    window_.workspace(WorkspaceId::Train).reveal(QStringLiteral("queue"));
    window_.say(draft->runs().size() > 1 ? tr("%1 runs are in the queue.").arg(draft->runs().size())
                                         : tr("In the queue: %1").arg(draft->queueItem().title));
}

void DraftActions::measure() {
    if (measuring_) {
        measuring_->cancel();
        measuring_.clear();
        if (LaunchPanel* launch = window_.launchPanel()) launch->plan().setProblem({});
        return window_.say(tr("The dry run was cancelled."));
    }
    const Draft* draft = ready();
    if (!draft) return;
    // Of a matrix the first two runs, which stand at its corners.
    std::vector<QStringList> runs;
    for (std::size_t run = 0; run < std::min<std::size_t>(2, draft->runs().size()); ++run)
        runs.push_back(draft->queueItem(run).words);
    if (!draft->device().isEmpty())
        for (QStringList& words : runs) words << QStringLiteral("--device") << draft->device();
    measureNext(std::move(runs), {});
}

/// Whether these are the draft's first runs still: what was measured says nothing of an edited draft.
bool DraftActions::stillDrafted(const std::vector<QStringList>& runs) {
    LaunchPanel* launch = window_.launchPanel();
    if (launch == nullptr || launch->draft().runs().size() < runs.size()) return false;
    for (std::size_t run = 0; run < runs.size(); ++run)
        if (launch->draft().queueItem(run).words != runs[run]) return false;
    return true;
}

void DraftActions::measureNext(std::vector<QStringList> runs, std::vector<nlohmann::json> known) {
    LaunchPanel* launch = window_.launchPanel();
    if (!launch) return;
    const bool done = known.size() == runs.size();
    launch->plan().setMeasured(done ? known : std::vector<nlohmann::json>());
    if (done) return;
    const QStringList words =
        runs[known.size()] + QStringList{QStringLiteral("--dry-run"), QStringLiteral("--project"),
                                         QString::fromStdString(session_.project().folder().string())};
    const auto next = [this, runs, known](const Result<nlohmann::json>& answer) mutable {
        measuring_.clear();
        if (!stillDrafted(runs))
            return window_.say(tr("The dry run measured another draft; start it again."));
        if (!answer) {
            if (LaunchPanel* form = window_.launchPanel())
                form->plan().setProblem(QString::fromStdString(answer.error().text()));
            return;
        }
        known.push_back(*answer);
        measureNext(std::move(runs), std::move(known));
    };
    measuring_ = EngineCall::start(words, next, this);
}

void DraftActions::train() {
    const Draft* draft = ready();
    if (!draft) return;
    if (draft->runs().size() > 1) return queue();
    const QString id = session_.control.startTraining(draft->experiment(), draft->sets(), draft->device());
    session_.selection.setRuns({id});
    session_.playhead.setTrainStep(0);
    window_.updateRun();
}

}  // namespace kurve::studio
