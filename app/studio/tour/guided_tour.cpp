#include "app/studio/tour/guided_tour.h"

#include <QDockWidget>
#include <QSettings>
#include <algorithm>
#include <utility>
#include <vector>

#include "app/studio/window/main_window.h"
#include "views/common/text/format.h"
#include "views/runs/run_actions.h"

namespace kurve::studio {

using views::isLive;

namespace {
const QString kShown = QStringLiteral("tour/shown"),
              kEndShown = QStringLiteral("tour/end_shown");  // settings
constexpr std::size_t kNewest = 20;  ///< runs among which two comparable ones are searched

int similarity(const store::RunSummary& a, const store::RunSummary& b) {
    return a.configHash == b.configHash ? 3 : a.name == b.name ? 2 : a.family == b.family ? 1 : 0;
}

/// Their metrics are comparable: same corpora, tokenization and evaluation settings.
bool sameEvaluation(const views::RunData& a, const views::RunData& b, const views::EngineInfo& engine) {
    if (a.value("data_hash").empty() || a.value("data_hash") != b.value("data_hash")) return false;
    const auto left = engine.recorded(a.value("config")), right = engine.recorded(b.value("config"));
    if (!left || !right) return false;
    const auto differs = difference(*left, *right);
    return std::none_of(differs.begin(), differs.end(), [](const ConfigDifference& one) {
        return one.key == "eval.samples" || one.key == "eval.loss_pairs";
    });
}

/// "Validation BLEU 0.14 after 1:00; loss from 9.2 to 4.1"; only what was logged.
QString resultText(const views::RunData& data, const views::EngineInfo& engine) {
    QStringList parts;
    const auto bleu = data.find("valid_bleu"), loss = data.find("loss");
    if (bleu && bleu->size() > 0)
        parts << GuidedTour::tr("%1 %2 after %3")
                     .arg(engine.metric("valid_bleu").title, views::numberText(bleu->value.back(), 3),
                          views::durationText(bleu->wall.back() - data.summary.started));
    if (loss && loss->size() > 1)
        parts << GuidedTour::tr("loss from %1 to %2")
                     .arg(views::numberText(loss->value[0], 3), views::numberText(loss->value.back(), 3));
    return parts.join(QStringLiteral("; "));
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
        if (!ended_.isEmpty()) return go(at_);  // back to the stop that was shown before
        at_ + 1 < stops_.size() ? go(at_ + 1) : leave();
    });
    connect(&session_.catalog, &views::RunCatalog::runsChanged, this, &GuidedTour::watchTrainings);
    // A short one may be over before it is listed.
    connect(&session_.control, &RunControl::changed, this, [this] {
        for (const RunSupervisor* run : session_.control.live()) training_.insert(run->runId());
    });
    if (offered && !QSettings().value(kShown).toBool())
        connect(&session.catalog, &views::RunCatalog::runsChanged, this, &GuidedTour::beginIfNew);
}

void GuidedTour::addStops() {
    stops_.push_back(
        {WorkspaceId::Train,
         QStringLiteral("launch"),
         {tr("Train a first model"),
          tr("This form holds all settings of a training run. The expected time is shown at the top. "
             "Training continues if you close the window."),
          tr("Start training")},
         [this] { window_.commands().trigger(QStringLiteral("run.start")); }});
    stops_.push_back(
        {WorkspaceId::Inspect,
         QStringLiteral("timeline"),
         {tr("Inspect a trace"),
          tr("Each column is one denoising step, from noise to text. Drag along the map or press Space; all "
             "views of this page follow."),
          tr("Play trace")},
         [this] { play(); }});
    stops_.push_back({WorkspaceId::Compare,
                      QStringLiteral("compare"),
                      {tr("Compare runs"),
                       tr("Select runs in the list on the left to compare their settings, curves and "
                          "outputs here."),
                       tr("Compare two runs")},
                      [this] { compareNewest(); }});
    stops_.push_back({WorkspaceId::Data,
                      QStringLiteral("corpus"),
                      {tr("Use your own text"),
                       tr("To train on another task, import a table with two columns: source and target."),
                       tr("Import text…")},
                      [this] { window_.openTextImport({}); }});
}

void GuidedTour::beginIfNew() {
    if (!isSample() || isRunning() || QSettings().value(kShown).toBool()) return;
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
        if (isSample() && !QSettings().value(kEndShown).toBool()) showEnd(id);
    }
    if (isRunning() && ended_.isEmpty() && trains() != showsTraining_) showStop();
}

/// Calls `then` once when the runs have been read, completed ones to their end.
void GuidedTour::whenRead(const QStringList& runs, const std::function<void()>& then) {
    views::RunCatalog& catalog = session_.catalog;
    auto* once = new QObject(this);
    const auto watched = std::make_shared<views::WatchedRuns>(&catalog, runs);
    const auto check = [runs, then, once, &catalog, watched] {
        const auto isRead = [&catalog](const QString& run) {
            const auto data = catalog.data(run);
            const store::RunSummary* listed = catalog.run(run);
            if (data == nullptr || listed == nullptr) return false;
            // Data read before the end lack the evaluation settings and the final state.
            return listed->state != "completed" ||
                   (data->summary.state == "completed" && !data->values.empty());
        };
        if (!std::all_of(runs.begin(), runs.end(), isRead)) return;
        catalog.disconnect(once);
        once->deleteLater();
        then();
    };
    connect(&catalog, &views::RunCatalog::dataChanged, once, check);
    check();
}

void GuidedTour::showEnd(const QString& run) {
    QSettings().setValue(kEndShown, true);
    whenRead(withBundled(run), [this, run] {
        interrupted_ = isRunning() && ended_.isEmpty();
        ended_ = run;
        const TourCard::Text text = endOf(run);
        card_->showApart(text, tr("Training completed"), interrupted_ ? tr("Back to the tour") : QString());
        window_.say(tr("%1 completed; press Ctrl+Tab for the next steps.").arg(text.headline));
    });
}

TourCard::Text GuidedTour::endOf(const QString& run) const {
    const auto data = session_.catalog.data(run);
    const store::RunSummary* reference = session_.catalog.run(mostSimilar(run, withBundled(run)));
    QString text = resultText(*data, session_.engine.info());
    if (!text.isEmpty()) text += QStringLiteral(". ");
    text +=
        reference == nullptr
            ? tr("Inspect how it generates a sentence.")
            : tr("Inspect how it generates a sentence, or compare it with %1, a bundled run evaluated on the "
                 "same data.")
                  .arg(QString::fromStdString(reference->name));
    return {QString::fromStdString(data->summary.name), text, tr("Open latest trace"),
            reference == nullptr ? QString() : tr("Compare with reference run")};
}

/// Continues an interrupted tour at the stop of the page, else closes the card.
void GuidedTour::resumeTour(std::size_t stop) {
    const bool touring = !ended_.isEmpty() && std::exchange(interrupted_, false);
    if (!ended_.isEmpty() && !touring) leave();
    if (touring) go(stop);
}

QString GuidedTour::targetRun() const {
    return ended_.isEmpty() ? session_.selection.primaryRun() : ended_;
}

void GuidedTour::openLatestTrace() {
    const QString run = targetRun();
    if (run.isEmpty()) return window_.say(tr("Select a run first."));
    session_.selection.setRuns({run});
    window_.openWorkspace(WorkspaceId::Inspect);
    window_.traces().openNewest();
    resumeTour(1);
}

/// The run, then the bundled ones.
QStringList GuidedTour::withBundled(const QString& run) const {
    QStringList runs{run};
    for (const auto& other : session_.catalog.runs())
        if (const QString id = QString::fromStdString(other.id); other.bundled && !other.trashed && id != run)
            runs << id;
    return runs;
}

/// Of runs that have been read.
bool GuidedTour::comparable(const QString& a, const QString& b) const {
    const auto left = session_.catalog.data(a), right = session_.catalog.data(b);
    return left && right && sameEvaluation(*left, *right, session_.engine.info());
}

/// The comparable run that is most similar; empty: there is none.
QString GuidedTour::mostSimilar(const QString& run, const QStringList& among) const {
    const store::RunSummary* mine = session_.catalog.run(run);
    QString found;
    int best = -1;
    for (const QString& id : among) {
        const store::RunSummary* other = session_.catalog.run(id);
        if (id == run || mine == nullptr || other == nullptr || !comparable(run, id)) continue;
        const int now = similarity(*mine, *other);
        if (now <= best) continue;
        best = now;
        found = id;
    }
    return found;
}

void GuidedTour::compareWithReference() {
    const QString run = targetRun();
    if (run.isEmpty()) return window_.say(tr("Select a run first."));
    const QStringList runs = withBundled(run);
    whenRead(runs, [this, run, runs] {
        const QString reference = mostSimilar(run, runs);
        if (reference.isEmpty()) return window_.say(tr("No bundled run was evaluated on the same data."));
        session_.selection.setRuns({run, reference});
        window_.openWorkspace(WorkspaceId::Compare);
        window_.workspace(WorkspaceId::Compare).reveal(QStringLiteral("compare"));
        resumeTour(2);
    });
}

/// The newest run that is comparable with another one, and the most similar of those.
void GuidedTour::compareNewest() {
    std::vector<const store::RunSummary*> listed;
    for (const auto& run : session_.catalog.runs())
        if (!run.trashed) listed.push_back(&run);
    std::sort(listed.begin(), listed.end(),
              [](const auto* a, const auto* b) { return a->started > b->started; });
    QStringList newest;
    for (std::size_t i = 0; i < std::min(listed.size(), kNewest); ++i)
        newest << QString::fromStdString(listed[i]->id);
    whenRead(newest, [this, newest] {
        for (const QString& run : newest)
            if (const QString other = mostSimilar(run, newest); !other.isEmpty())
                return session_.selection.setRuns({run, other});
        window_.say(tr("No two recent runs were evaluated on the same data."));
    });
}

void GuidedTour::begin() {
    QSettings().setValue(kShown, true);  // also if it is left at once
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
    showsTraining_ = trains();
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
        tr("Training is running"),
        tr("Its curves and samples appear here. Press F6 to pause; the model stays loaded for inspection. "
           "Training continues if you close the window."),
        tr("Pause / resume")};
}

void GuidedTour::act() {
    if (!ended_.isEmpty()) return openLatestTrace();
    if (!trains()) return stops_[at_].act();
    window_.commands().trigger(QStringLiteral("run.pause"));
}

void GuidedTour::play() {
    if (session_.selection.trace() == nullptr) return window_.traces().openNewest();
    if (session_.playhead.denoiseStep() + 1 >= session_.playhead.denoiseSteps())
        session_.playhead.setDenoiseStep(0);
    window_.commands().trigger(QStringLiteral("timeline.play"));
}

}  // namespace kurve::studio
