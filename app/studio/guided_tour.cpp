#include "app/studio/guided_tour.h"

#include <QDockWidget>
#include <QSettings>
#include <algorithm>

#include "app/studio/main_window.h"
#include "views/timeline/timeline_panel.h"

namespace kurve::studio {

namespace {
QString seenSetting() {
    return QStringLiteral("tour/seen");
}
}  // namespace

GuidedTour::GuidedTour(MainWindow& window, ProjectSession& session, bool offered)
    : QObject(&window), window_(window), session_(session), card_(new TourCard(&window)) {
    addStops();
    connect(card_, &TourCard::acted, this, [this] { stops_[at_].act(); });
    connect(card_, &TourCard::backWanted, this, [this] { go(at_ - 1); });
    connect(card_, &TourCard::nextWanted, this, [this] { at_ + 1 < stops_.size() ? go(at_ + 1) : leave(); });
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
          tr("This form is a whole training, and it takes about a minute and a half; closing the "
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
                       tr("Compare the newest two")},
                      [trigger] { trigger("compare.newest"); }});
    stops_.push_back({WorkspaceId::Data,
                      QStringLiteral("corpus"),
                      {tr("Go on with your own text"),
                       tr("A table of two columns, source and target, is all that a model needs to learn "
                          "another task."),
                       tr("How to bring your text")},
                      [this] { window_.showGuide(QStringLiteral("data")); }});
}

void GuidedTour::beginIfNew() {
    const auto& runs = session_.catalog.runs();
    const bool sample = std::any_of(runs.begin(), runs.end(), [](const auto& run) { return run.bundled; });
    if (!sample || isRunning() || QSettings().value(seenSetting()).toBool()) return;
    begin();
}

void GuidedTour::begin() {
    QSettings().setValue(seenSetting(), true);  // also if it is left at once
    go(0);
}

void GuidedTour::go(std::size_t stop) {
    at_ = std::min(stop, stops_.size() - 1);
    const Stop& here = stops_[at_];
    window_.openWorkspace(here.workspace);
    const QDockWidget* dock = window_.workspace(here.workspace).reveal(here.panel);
    card_->showStop(here.text, static_cast<int>(at_), static_cast<int>(stops_.size()),
                    dock ? dock->widget() : nullptr);
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
