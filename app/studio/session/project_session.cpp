#include "app/studio/session/project_session.h"

#include <utility>

#include "views/common/theme/theme.h"

namespace kurve::studio {

namespace {

constexpr const char* kPanels = "panels";
/// State that a fresh session keeps.
const char* const kKeptKeys[] = {"diskBudget", "notes"};
const std::pair<const char*, const char*> kKeptOfPanels[] = {{"runs", "filters"}, {"query", "sql"}};

}  // namespace

ProjectSession::ProjectSession(store::Project project, Persistence persistence, QObject* parent)
    : QObject(parent),
      catalog(project),
      edits(catalog, &project_),
      engine(QString::fromStdString(project.folder().string())),
      control(project, catalog),
      machines({}, project, control, catalog),
      queue(project, control, catalog, engine.info()),
      inspect({}, project.folder()),
      inference({}, project.folder()),
      sweep({}, project.folder()),
      distil({}, project.folder()),
      evaluation({}, project.folder()),
      samplers(project),
      project_(std::move(project)),
      persistence_(persistence),
      file_((project_.folder() / "layouts" / "session.json").string()) {
    inspect.setTrainings([this](const QString& run) { return control.supervisor(run); });
    inspect.setMissingWeights([this](const QString& run, const QString& checkpoint) {
        return machines.missingWeights(run, checkpoint);
    });
    loadState();
    selection.setHiddenRuns(
        state_.value(QStringLiteral("hidden")).toString().split(QLatin1Char(' '), Qt::SkipEmptyParts));
    edits.watchHidden(selection);
    edits.setNeededRuns([this] { return neededRuns(queue.state(), engine.info(), project_.folder()); });
    edits.notes().restore(state_.value(QStringLiteral("notes")).toObject());
    connect(&edits.notes(), &views::NoteStore::refusedChanged, this, &ProjectSession::saveNotes);
    connect(&sweep, &SweepService::pointsChanged, &catalog, &views::RunCatalog::refreshSoon);
    connect(&evaluation, &EvaluationService::evaluated, &catalog, &views::RunCatalog::refreshSoon);
    connect(&samplers, &DefaultSamplers::saved, &catalog, &views::RunCatalog::refreshSoon);
    connect(&samplers, &DefaultSamplers::saved, &inspect, &InspectService::release);
    connect(&engine, &EngineDescription::ready, &queue, &RunQueue::advance);
    connect(&inspect, &InspectService::requested, this, [this](const QString& run) {
        if (catalog.run(run) != nullptr) selection.setPrimary(run);
    });
    views::setRunStyles({});  // those of the project before
}

// The last notes may not be saved yet.
ProjectSession::~ProjectSession() {
    saveNotes();
}

void ProjectSession::saveNotes() {
    put(QStringLiteral("notes"), edits.notes().save());
}

void ProjectSession::loadState() {
    if (persistence_ == Persistence::None) return;
    state_ = file_.load();
    if (persistence_ == Persistence::Restore || state_.isEmpty()) return;
    file_.keepCopy(QStringLiteral("session.previous.json"));
    const QJsonObject before = std::exchange(state_, {});
    for (const char* key : kKeptKeys)
        if (const QJsonValue value = before.value(QLatin1String(key)); !value.isUndefined())
            state_.insert(QLatin1String(key), value);
    const QJsonObject panels = before.value(QLatin1String(kPanels)).toObject();
    for (const auto& [panel, key] : kKeptOfPanels)
        if (const QJsonValue value = panels.value(QLatin1String(panel)).toObject().value(QLatin1String(key));
            !value.isUndefined())
            putPanel(QLatin1String(panel), {{QLatin1String(key), value}});
}

QJsonObject ProjectSession::panelState(const QString& panel) const {
    return state_.value(QLatin1String(kPanels)).toObject().value(panel).toObject();
}

void ProjectSession::putPanel(const QString& panel, const QJsonObject& state) {
    QJsonObject panels = state_.value(QLatin1String(kPanels)).toObject();
    panels.insert(panel, state);
    put(QLatin1String(kPanels), panels);
}

void ProjectSession::put(const QString& key, const QJsonValue& value) {
    if (state_.value(key) == value) return;
    state_.insert(key, value);
    if (persistence_ != Persistence::None) file_.put(state_);
}

QStringList ProjectSession::jobsEndedByQuit() const {
    QStringList jobs;
    if (const int waiting = queue.waiting(); waiting > 0) jobs << tr("queue (%1 waiting)").arg(waiting);
    if (sweep.running()) jobs << tr("sweep");
    if (evaluation.running()) jobs << tr("evaluation");
    if (distil.running()) jobs << tr("distillation");
    if (!machines.fetchStatus().isEmpty()) jobs << tr("fetching of checkpoints");
    if (edits.notes().anyRefused()) jobs << tr("saving of notes");
    return jobs;
}

}  // namespace kurve::studio
