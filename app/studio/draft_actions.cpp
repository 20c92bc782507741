#include "app/studio/draft_actions.h"

#include <QDockWidget>
#include <algorithm>
#include <utility>

#include "app/studio/engine_program.h"
#include "app/studio/main_window.h"
#include "core/wire/fields.h"
#include "views/launch/launch_panel.h"
#include "views/launch/plan_bar.h"

namespace kurve::studio {

using namespace views;

namespace {

constexpr int kSettleMilliseconds = 500;

double totalOf(const nlohmann::json& estimate) {
    return wire::Fields(estimate).object("memory_mb").number("total");
}

}  // namespace

DraftActions::DraftActions(MainWindow& window, ProjectSession& session) : window_(window), session_(session) {
    settle_.setSingleShot(true);
    settle_.setInterval(kSettleMilliseconds);
    connect(&settle_, &QTimer::timeout, this, &DraftActions::estimate);
    // Queued: the form takes the description first.
    connect(&session.engine, &EngineDescription::ready, this, &DraftActions::runWaiting,
            Qt::QueuedConnection);
    connect(&session.engine, &EngineDescription::failed, this, [this](const QString& problem) {
        if (std::exchange(waiting_, nullptr)) window_.say(problem);
    });
}

bool DraftActions::waits(Request request) {
    const bool loading = session_.engine.info().families().empty() && session_.engine.problem().isEmpty();
    if (!loading || findEngineProgram().isEmpty()) return false;
    waiting_ = request;
    window_.openWorkspace(WorkspaceId::Train);
    window_.say(tr("Waiting for the engine description…"));
    return true;
}

void DraftActions::runWaiting() {
    if (const Request request = std::exchange(waiting_, nullptr)) (this->*request)();
}

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
    window_.say(tr("The draft has errors; see the form."));
    return nullptr;
}

void DraftActions::trainOnDistilled(const QString& file) {
    window_.openWorkspace(WorkspaceId::Train);
    if (LaunchPanel* launch = window_.launchPanel())
        launch->useSettings({{QStringLiteral("data.distilled"), QStringLiteral("true")},
                             {QStringLiteral("data.distilled_train"), file}});
}

void DraftActions::queue() {
    if (waits(&DraftActions::queue)) return;
    const Draft* draft = ready();
    if (!draft || !fits()) return;
    std::vector<QueueItem> items;
    for (std::size_t run = 0; run < draft->runs().size(); ++run) {
        items.push_back(draft->queueItem(run));
        if (refused_ == draftText()) items.back().words << QStringLiteral("--force");
    }
    session_.queue.add(std::move(items));
    window_.workspace(WorkspaceId::Train).reveal(QStringLiteral("queue"));
    window_.say(draft->runs().size() > 1 ? tr("Queued %1 runs.").arg(draft->runs().size())
                                         : tr("Queued: %1").arg(draft->queueItem().title));
}

void DraftActions::measure() {
    if (measuring_) {
        measuring_->cancel();
        measuring_.clear();
        if (LaunchPanel* launch = window_.launchPanel()) launch->plan().setProblem({});
        window_.say(tr("The dry run was cancelled."));
        return runWaiting();
    }
    if (waits(&DraftActions::measure)) return;
    const Draft* draft = ready();
    if (!draft) return;
    // Of a run matrix the first two.
    std::vector<QStringList> runs;
    for (std::size_t run = 0; run < std::min<std::size_t>(2, draft->runs().size()); ++run)
        runs.push_back(draft->queueItem(run).words);
    if (!draft->device().isEmpty())
        for (QStringList& words : runs) words << QStringLiteral("--device") << draft->device();
    measureNext(std::move(runs), {});
}

/// Whether these are still the first runs of the draft: a dry run does not hold for an edited draft.
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
    if (done) return runWaiting();
    const QStringList words =
        runs[known.size()] + QStringList{QStringLiteral("--dry-run"), QStringLiteral("--project"),
                                         QString::fromStdString(session_.project().folder().string())};
    const auto next = [this, runs, known](const Result<nlohmann::json>& answer) mutable {
        measuring_.clear();
        if (!stillDrafted(runs)) {
            window_.say(tr("The draft changed during the dry run; start it again."));
            return runWaiting();
        }
        if (!answer) {
            if (LaunchPanel* form = window_.launchPanel())
                form->plan().setProblem(QString::fromStdString(answer.error().text()));
            return runWaiting();
        }
        known.push_back(*answer);
        measureNext(std::move(runs), std::move(known));
    };
    measuring_ = EngineCall::start(words, next, this);
}

QString DraftActions::draftText() const {
    LaunchPanel* launch = window_.launchPanel();
    return launch == nullptr
               ? QString()
               : launch->draft().commandLine({}) + launch->draft().axes().join(QLatin1Char(' '));
}

bool DraftActions::fits() {
    LaunchPanel* launch = window_.launchPanel();
    const QString problem = launch == nullptr ? QString() : launch->plan().memoryProblem();
    if (problem.isEmpty()) refused_.clear();
    if (problem.isEmpty() || refused_ == draftText()) return true;
    refused_ = draftText();
    window_.say(tr("%1. Start again to train anyway.").arg(problem));
    return false;
}

void DraftActions::estimateSoon() {
    if (draftText() == estimated_) return;
    estimated_.clear();  // estimate again also if the draft is changed back
    settle_.start();
}

void DraftActions::estimate() {
    LaunchPanel* launch = window_.launchPanel();
    if (launch == nullptr || !launch->draft().isValid() || findEngineProgram().isEmpty()) return;
    if (estimating_) estimating_->cancel();
    estimated_ = draftText();
    // Of a run matrix the first and the last, one of which is the largest.
    const std::size_t last = launch->draft().runs().size() - 1;
    std::vector<QStringList> runs{launch->draft().queueItem(last).words};
    if (last > 0) runs.push_back(launch->draft().queueItem(0).words);
    for (QStringList& words : runs) {
        words << QStringLiteral("--estimate") << QStringLiteral("--project")
              << QString::fromStdString(session_.project().folder().string());
        if (!launch->draft().device().isEmpty())
            words << QStringLiteral("--device") << launch->draft().device();
    }
    estimateNext(std::move(runs), nullptr);
}

void DraftActions::estimateNext(std::vector<QStringList> runs, nlohmann::json most) {
    const QStringList words = runs.back();
    runs.pop_back();
    const auto next = [this, runs, most, draft = estimated_](const Result<nlohmann::json>& answer) {
        LaunchPanel* launch = window_.launchPanel();
        if (launch == nullptr || draft != draftText()) return;  // edited meanwhile: estimated again soon
        if (!answer) {
            const bool early = answer.error().code == "data.not_prepared";
            return launch->plan().setMemory(nullptr,
                                            early ? tr("Memory estimate available after a dry run or a start")
                                                  : QString::fromStdString(answer.error().text()));
        }
        const nlohmann::json larger = totalOf(*answer) > totalOf(most) ? *answer : most;
        if (!runs.empty()) return estimateNext(runs, larger);
        launch->plan().setMemory(larger);
    };
    estimating_ = EngineCall::start(words, next, this);
}

void DraftActions::train() {
    if (waits(&DraftActions::train)) return;
    const Draft* draft = ready();
    if (!draft) return;
    if (measuring_) {  // both at once would distort the measurement
        waiting_ = &DraftActions::train;
        return window_.say(tr("Training starts after the dry run; press %1 to cancel the dry run.")
                               .arg(window_.commands().keyText(QStringLiteral("run.measure"))));
    }
    if (draft->runs().size() > 1) return queue();
    if (!fits()) return;
    const QString id = session_.control.startTraining(draft->experiment(), draft->sets(), draft->device(),
                                                      /*force=*/refused_ == draftText());
    session_.selection.setRuns({id});
    window_.updateRun();
}

}  // namespace kurve::studio
