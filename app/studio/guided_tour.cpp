#include "app/studio/guided_tour.h"

#include <QDockWidget>
#include <QSettings>
#include <algorithm>
#include <utility>
#include <vector>

#include "app/studio/main_window.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::studio {

namespace {
QString seenSetting() {
    return QStringLiteral("tour/seen");
}
QString endSeenSetting() {
    return QStringLiteral("tour/end_seen");
}
bool isLive(const store::RunSummary& run) {
    return run.state == "running" || run.state == "paused" || run.state == "stopping";
}
constexpr int kSameTask = 4;
/// A comparison tells something where both have learnt the same task.
int likeness(const store::RunSummary& a, const store::RunSummary& b) {
    return (a.task == b.task ? kSameTask : 0) + (a.configHash == b.configHash ? 3
                                                 : a.name == b.name           ? 2
                                                 : a.family == b.family       ? 1
                                                                              : 0);
}
}  // namespace

GuidedTour::GuidedTour(MainWindow& window, ProjectSession& session, bool offered)
    : QObject(&window), window_(window), session_(session), card_(new TourCard(&window)) {
    addStops();
    connect(card_, &TourCard::acted, this, [this] { act(); });
    connect(card_, &TourCard::otherActed, this, [this] { compareWithReference(); });
    connect(card_, &TourCard::left, this, [this] { ended_.clear(); });
    connect(card_, &TourCard::backWanted, this, [this] { go(at_ - 1); });
    connect(card_, &TourCard::nextWanted, this, [this] {
        if (!ended_.isEmpty()) return go(at_);  // back to the stop that the end came upon
        at_ + 1 < stops_.size() ? go(at_ + 1) : leave();
    });
    connect(&session_.catalog, &views::RunCatalog::runsChanged, this, &GuidedTour::watchTrainings);
    // A short one may be over before it is listed.
    connect(&session_.control, &RunControl::changed, this, [this] {
        for (const RunSupervisor* run : session_.control.live()) training_.insert(run->runId());
    });
    if (offered && !QSettings().value(seenSetting()).toBool())
        connect(&session.catalog, &views::RunCatalog::runsChanged, this, &GuidedTour::beginIfNew);
}

void GuidedTour::addStops() {
    const auto trigger = [this](const char* command) {
        if (QAction* action = window_.commands().action(QLatin1String(command))) action->trigger();
    };
    stops_.push_back(
        {WorkspaceId::Train,
         QStringLiteral("launch"),
         {tr("Train a first model"),
          tr("This form is a whole training; how long it takes stands above its settings. Closing the "
             "window does not stop it."),
          tr("Start training")},
         [trigger] { trigger("run.start"); }});
    stops_.push_back(
        {WorkspaceId::Inspect,
         QStringLiteral("timeline"),
         {tr("Watch a sentence appear"),
          tr("Every column is one step from noise to text: drag along the map or press Space, and all views "
             "of this page follow."),
          tr("Play the denoising")},
         [this] { play(); }});
    stops_.push_back({WorkspaceId::Compare,
                      QStringLiteral("compare"),
                      {tr("See what a change brought"),
                       tr("Runs that are selected on the left lie over each other here: what was set "
                          "differently, curves, and what they write."),
                       tr("Compare two runs")},
                      [this, trigger] {
                          const QStringList two = newestOfOneTask();
                          if (two.isEmpty()) return trigger("compare.newest");
                          session_.selection.setRuns(two);
                      }});
    stops_.push_back({WorkspaceId::Data,
                      QStringLiteral("corpus"),
                      {tr("Go on with your own text"),
                       tr("A table of two columns, source and target, is all that a model needs to learn "
                          "another task."),
                       tr("Use your own text file…")},
                      [this] { window_.openTextImport({}); }});
}

void GuidedTour::beginIfNew() {
    if (!isSample() || isRunning() || QSettings().value(seenSetting()).toBool()) return;
    begin();
}

bool GuidedTour::isSample() const {
    const auto& runs = session_.catalog.runs();
    return std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.bundled; });
}

void GuidedTour::watchTrainings() {
    for (const auto& run : session_.catalog.runs()) {
        const QString id = QString::fromStdString(run.id);
        if (isLive(run)) training_.insert(id);
        if (run.state != "completed" || !training_.remove(id)) continue;
        if (isSample() && !QSettings().value(endSeenSetting()).toBool()) showEnd(id);
    }
    if (isRunning() && ended_.isEmpty() && trains() != toldOfTraining_) showStop();
}

void GuidedTour::showEnd(const QString& run) {
    QSettings().setValue(endSeenSetting(), true);
    interrupted_ = isRunning() && ended_.isEmpty();
    ended_ = run;
    const store::RunSummary* summary = session_.catalog.run(run);
    const QString name = summary != nullptr ? QString::fromStdString(summary->name) : run;
    card_->showApart(
        {tr("Your first model is trained"),
         tr("%1 has learnt to write. Watch a sentence of it appear out of noise, or lay its curves "
            "over those of the run that came with Kurve.")
             .arg(name),
         tr("Look inside"), tr("Compare with the reference run")},
        tr("The training has ended"), interrupted_ ? tr("Back to the tour") : QString());
    window_.say(tr("%1 has ended; Ctrl+Tab goes to the card that leads on.").arg(name));
}

/// The stop that tells of the page, if a tour is under way.
void GuidedTour::goOn(std::size_t stop) {
    const bool touring = !ended_.isEmpty() && std::exchange(interrupted_, false);
    if (!ended_.isEmpty() && !touring) leave();
    if (touring) go(stop);
}

QString GuidedTour::wantedRun() const {
    return ended_.isEmpty() ? session_.selection.primaryRun() : ended_;
}

void GuidedTour::lookInside() {
    const QString run = wantedRun();
    if (run.isEmpty()) return window_.say(tr("Select a run first."));
    session_.selection.setRuns({run});
    window_.openWorkspace(WorkspaceId::Inspect);
    const auto open = [this, run] {
        const auto data = session_.catalog.data(run);
        if (data == nullptr) return false;
        if (data->traces.empty()) window_.openNewestTrace();  // says that there is none, and what to do
        if (!data->traces.empty())
            window_.openTrace(run, QString::fromStdString(newestRecording(data->traces).path));
        return true;
    };
    if (!open()) {
        auto* once = new QObject(this);
        connect(&session_.catalog, &views::RunCatalog::dataChanged, once,
                [once, run, open](const QString& id) {
                    if (id == run && open()) once->deleteLater();
                });
    }
    goOn(1);
}

QString GuidedTour::referenceFor(const QString& run) const {
    const store::RunSummary* mine = session_.catalog.run(run);
    QString found;
    int best = -1;
    for (const auto& other : session_.catalog.runs()) {
        if (!other.bundled || other.trashed || mine == nullptr || other.id == mine->id) continue;
        const int like = likeness(*mine, other);
        if (like <= best) continue;
        best = like;
        found = QString::fromStdString(other.id);
    }
    return found;
}

/// The newest run that another one of its task can be laid over, and the likest of those.
QStringList GuidedTour::newestOfOneTask() const {
    std::vector<const store::RunSummary*> runs;
    for (const auto& run : session_.catalog.runs())
        if (!run.trashed) runs.push_back(&run);
    std::sort(runs.begin(), runs.end(), [](const auto* a, const auto* b) { return a->started > b->started; });
    for (const auto* run : runs) {
        const store::RunSummary* partner = nullptr;
        for (const auto* other : runs)
            if (other != run && likeness(*run, *other) >= kSameTask &&
                (partner == nullptr || likeness(*run, *other) > likeness(*run, *partner)))
                partner = other;
        if (partner != nullptr) return {QString::fromStdString(run->id), QString::fromStdString(partner->id)};
    }
    return {};
}

void GuidedTour::compareWithReference() {
    const QString run = wantedRun();
    const QString reference = referenceFor(run);
    if (reference.isEmpty()) return window_.say(tr("No run of this project came with Kurve."));
    session_.selection.setRuns({run, reference});
    window_.openWorkspace(WorkspaceId::Compare);
    window_.workspace(WorkspaceId::Compare).reveal(QStringLiteral("compare"));
    goOn(2);
}

void GuidedTour::begin() {
    QSettings().setValue(seenSetting(), true);  // also if it is left at once
    go(0);
}

void GuidedTour::go(std::size_t stop) {
    ended_.clear();
    at_ = std::min(stop, stops_.size() - 1);
    const Stop& here = stops_[at_];
    window_.openWorkspace(here.workspace);
    window_.workspace(here.workspace).reveal(here.panel);
    showStop();
}

void GuidedTour::showStop() {
    const Stop& here = stops_[at_];
    toldOfTraining_ = trains();
    const QDockWidget* dock = window_.workspace(here.workspace).dock(here.panel);
    card_->showStop(textOf(here), static_cast<int>(at_), static_cast<int>(stops_.size()),
                    dock ? dock->widget() : nullptr);
}

/// The first stop offers no second training while one is at work.
bool GuidedTour::trains() const {
    const auto& runs = session_.catalog.runs();
    return at_ == 0 && std::any_of(runs.begin(), runs.end(), isLive);
}

TourCard::Text GuidedTour::textOf(const Stop& stop) const {
    if (!trains()) return stop.text;
    return {
        tr("A model is learning"),
        tr("Its curves grow, and sentences that it writes appear under them. F6 lets it wait with the model "
           "loaded, to look inside. Closing the window does not stop it."),
        tr("Pause or go on")};
}

void GuidedTour::act() {
    if (!ended_.isEmpty()) return lookInside();
    if (!trains()) return stops_[at_].act();
    if (QAction* pause = window_.commands().action(QStringLiteral("run.pause"))) pause->trigger();
}

void GuidedTour::play() {
    auto* timeline = qobject_cast<views::TimelinePanel*>(
        window_.workspace(WorkspaceId::Inspect).panel(QStringLiteral("timeline")));
    if (!timeline || !timeline->hasData()) return window_.openNewestTrace();
    if (session_.playhead.denoiseStep() + 1 >= session_.playhead.denoiseSteps())
        session_.playhead.setDenoiseStep(0);
    timeline->setPlaying(true);
}

}  // namespace kurve::studio
