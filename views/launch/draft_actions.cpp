#include "views/launch/draft_actions.h"

#include <algorithm>
#include <utility>

#include "core/wire/fields.h"
#include "views/common/data/engine_info.h"
#include "views/common/services/engine.h"
#include "views/common/services/studio.h"
#include "views/common/services/trainings.h"
#include "views/common/shell/command_registry.h"
#include "views/common/shell/selection.h"
#include "views/launch/draft.h"
#include "views/launch/plan_bar.h"
#include "views/launch/queue.h"

namespace kurve::views {

namespace {

constexpr int kSettleMilliseconds = 500;

double totalOf(const nlohmann::json& estimate) {
    return wire::Fields(estimate).object("memory_mb").number("total");
}

}  // namespace

DraftActions::DraftActions(const StudioContext& context, Draft& draft, PlanBar& plan, QObject* parent)
    : QObject(parent), context_(context), draft_(draft), plan_(plan) {
    settle_.setSingleShot(true);
    settle_.setInterval(kSettleMilliseconds);
    connect(&settle_, &QTimer::timeout, this, &DraftActions::estimate);
    context.services->offer<DraftRuns>(*this);
}

bool DraftActions::isLoading() const {
    const bool known = context_.engine != nullptr && !context_.engine->families().empty();
    return !known && context_.ask<Engine>().problem().isEmpty();
}

bool DraftActions::waits(Request request) {
    if (!isLoading() || !context_.ask<Engine>().available()) return false;
    waiting_ = request;
    context_.commands->trigger(QStringLiteral("workspace.train"));
    Q_EMIT said(tr("Waiting for the engine description…"));
    return true;
}

void DraftActions::engineChanged() {
    if (isLoading()) return;
    const QString problem = context_.ask<Engine>().problem();
    if (problem.isEmpty()) return runWaiting();
    if (std::exchange(waiting_, nullptr)) Q_EMIT said(problem);
}

void DraftActions::runWaiting() {
    if (const Request request = std::exchange(waiting_, nullptr)) (this->*request)();
}

bool DraftActions::isReady() {
    context_.commands->trigger(QStringLiteral("workspace.train"));
    if (const Status engine = context_.ask<Engine>().available(); !engine) {
        Q_EMIT said(QString::fromStdString(engine.error().text()));
        return false;
    }
    draft_.checkFile();
    if (draft_.isValid()) return true;
    Q_EMIT refused();
    Q_EMIT said(tr("The draft has errors; see the form."));
    return false;
}

void DraftActions::queue() {
    if (waits(&DraftActions::queue) || !isReady() || !fits()) return;
    std::vector<QueueItem> items;
    for (std::size_t run = 0; run < draft_.runs().size(); ++run) {
        items.push_back(draft_.queueItem(run));
        if (refused_ == draftText()) items.back().words << QStringLiteral("--force");
    }
    context_.ask<Queue>().add(std::move(items));
    context_.ask<Studio>().reveal(QStringLiteral("queue"));
    Q_EMIT said(draft_.runs().size() > 1 ? tr("Queued %1 runs.").arg(draft_.runs().size())
                                         : tr("Queued: %1").arg(draft_.queueItem().title));
}

void DraftActions::measure() {
    if (endMeasuring_) {
        std::exchange(endMeasuring_, nullptr)();
        plan_.setProblem({});
        Q_EMIT said(tr("The dry run was cancelled."));
        return runWaiting();
    }
    if (waits(&DraftActions::measure) || !isReady()) return;
    // Of a run matrix the first two.
    std::vector<QStringList> runs;
    for (std::size_t run = 0; run < std::min<std::size_t>(2, draft_.runs().size()); ++run)
        runs.push_back(draft_.words(run));
    for (QStringList& words : runs) words << placeWords();
    measureNext(std::move(runs), {});
}

QStringList DraftActions::placeWords() const {
    QStringList words;
    if (!draft_.machine().isEmpty()) words << QStringLiteral("--machine") << draft_.machine();
    if (!draft_.device().isEmpty()) words << QStringLiteral("--device") << draft_.device();
    return words;
}

/// An estimate is of this machine, also of a draft for another one (PlanBar says so): with the device that
/// this engine chooses.
QStringList DraftActions::localDevice() const {
    if (!draft_.machine().isEmpty() || draft_.device().isEmpty()) return {};
    return {QStringLiteral("--device"), draft_.device()};
}

/// Whether these are still the first runs of the draft: a dry run does not hold for an edited draft.
bool DraftActions::stillDrafted(const std::vector<QStringList>& runs) const {
    if (draft_.runs().size() < runs.size()) return false;
    for (std::size_t run = 0; run < runs.size(); ++run)
        if (draft_.words(run) + placeWords() != runs[run]) return false;
    return true;
}

void DraftActions::measureNext(std::vector<QStringList> runs, std::vector<nlohmann::json> known) {
    const bool done = known.size() == runs.size();
    plan_.setMeasured(done ? known : std::vector<nlohmann::json>());
    if (done) return runWaiting();
    const QStringList words = runs[known.size()] + QStringList{QStringLiteral("--dry-run")};
    const auto next = [this, runs, known](const Result<nlohmann::json>& answer) mutable {
        endMeasuring_ = nullptr;
        if (!stillDrafted(runs)) {
            Q_EMIT said(tr("The draft changed during the dry run; start it again."));
            return runWaiting();
        }
        if (!answer) {
            plan_.setProblem(QString::fromStdString(answer.error().text()));
            return runWaiting();
        }
        known.push_back(*answer);
        measureNext(std::move(runs), std::move(known));
    };
    endMeasuring_ = context_.ask<Engine>().call(words, next, this);
}

QString DraftActions::draftText() const {
    return draft_.commandLine({}) + draft_.axes().join(QLatin1Char(' '));
}

bool DraftActions::fits() {
    const QString problem = plan_.memoryProblem();
    if (problem.isEmpty()) refused_.clear();
    if (problem.isEmpty() || refused_ == draftText()) return true;
    refused_ = draftText();
    Q_EMIT said(tr("%1. Start again to train anyway.").arg(problem));
    return false;
}

void DraftActions::estimateSoon() {
    if (draftText() == estimated_) return;
    estimated_.clear();  // estimate again also if the draft is changed back
    settle_.start();
}

void DraftActions::estimate() {
    if (!draft_.isValid() || !context_.ask<Engine>().available()) return;
    if (endEstimate_) endEstimate_();
    estimated_ = draftText();
    // Of a run matrix the first and the last, one of which is the largest.
    const std::size_t last = draft_.runs().size() - 1;
    std::vector<QStringList> runs{draft_.queueItem(last).words};
    if (last > 0) runs.push_back(draft_.queueItem(0).words);
    for (QStringList& words : runs) words << QStringLiteral("--estimate") << localDevice();
    estimateNext(std::move(runs), nullptr);
}

void DraftActions::estimateNext(std::vector<QStringList> runs, nlohmann::json most) {
    const QStringList words = runs.back();
    runs.pop_back();
    const auto next = [this, runs, most, draft = estimated_](const Result<nlohmann::json>& answer) {
        if (draft != draftText()) return;  // edited meanwhile: estimated again soon
        if (!answer) {
            const bool early = answer.error().code == "data.not_prepared";
            return plan_.setMemory(nullptr, early ? tr("Memory estimate available after a dry run or a start")
                                                  : QString::fromStdString(answer.error().text()));
        }
        const nlohmann::json larger = totalOf(*answer) > totalOf(most) ? *answer : most;
        if (!runs.empty()) return estimateNext(runs, larger);
        plan_.setMemory(larger);
    };
    endEstimate_ = context_.ask<Engine>().call(words, next, this);
}

void DraftActions::train() {
    if (waits(&DraftActions::train) || !isReady()) return;
    if (endMeasuring_) {  // both at once would distort the measurement
        waiting_ = &DraftActions::train;
        return Q_EMIT said(tr("Training starts after the dry run; press %1 to cancel the dry run.")
                               .arg(context_.commands->keyText(QStringLiteral("run.measure"))));
    }
    if (draft_.runs().size() > 1) return queue();
    if (!fits()) return;
    const QString id = context_.ask<Trainings>().startTraining(
        draft_.experiment(), draft_.sets(), {draft_.device(), draft_.machine(), draft_.processes()},
        /*force=*/refused_ == draftText());
    context_.selection->setRuns({id});
}

}  // namespace kurve::views
