#include "app/studio/project_session.h"

#include <utility>

#include "views/common/theme.h"

namespace kurve::studio {

namespace {

/// What somebody has collected, which beginning anew does not take away.
const char* const kCollected[] = {"filters", "sql", "diskBudget", "notes"};

}  // namespace

ProjectSession::ProjectSession(store::Project project, Memory memory, QObject* parent)
    : QObject(parent),
      catalog(project),
      edits(catalog, &project_),
      control(project, catalog),
      queue(project, control, catalog, engine.info()),
      inspect(findEngineProgram(), project.folder()),
      sweep(findEngineProgram(), project.folder()),
      distil(findEngineProgram(), project.folder()),
      evaluation(findEngineProgram(), project.folder()),
      samplers(project),
      project_(std::move(project)),
      memory_(memory),
      file_((project_.folder() / "layouts" / "session.json").string()) {
    inspect.setTrainings([this](const QString& run) { return control.supervisor(run); });
    loadState();
    selection.setHiddenRuns(
        state_.value(QStringLiteral("hidden")).toString().split(QLatin1Char(' '), Qt::SkipEmptyParts));
    edits.watchHidden(selection);
    edits.notes().restore(state_.value(QStringLiteral("notes")).toObject());
    connect(&edits.notes(), &views::NoteWriter::refusedChanged, this, &ProjectSession::keepNotes);
    connect(&file_, &StateFile::saved, this, &ProjectSession::saved);
    connect(&file_, &StateFile::saveFailed, this, &ProjectSession::saveFailed);
    connect(&sweep, &SweepService::pointsChanged, &catalog, &views::RunCatalog::refreshSoon);
    connect(&evaluation, &EvaluationService::evaluated, &catalog, &views::RunCatalog::refreshSoon);
    connect(&samplers, &DefaultSamplers::kept, &catalog, &views::RunCatalog::refreshSoon);
    connect(&samplers, &DefaultSamplers::kept, &inspect, &InspectService::release);
    connect(&engine, &EngineDescription::ready, &queue, &RunQueue::advance);
    views::setRunLooks({});  // those of the project before
}

// The last ones may still be on their way.
ProjectSession::~ProjectSession() {
    keepNotes();
}

void ProjectSession::keepNotes() {
    put(QStringLiteral("notes"), edits.notes().save());
}

void ProjectSession::loadState() {
    if (memory_ == Memory::None) return;
    state_ = file_.load();
    if (memory_ == Memory::Restore || state_.isEmpty()) return;
    file_.keepCopy(QStringLiteral("session.previous.json"));
    const QJsonObject before = std::exchange(state_, {});
    for (const char* key : kCollected)
        if (const QJsonValue value = before.value(QLatin1String(key)); !value.isUndefined())
            state_.insert(QLatin1String(key), value);
}

void ProjectSession::put(const QString& key, const QJsonValue& value) {
    if (state_.value(key) == value) return;
    state_.insert(key, value);
    if (memory_ != Memory::None) file_.put(state_);
}

QStringList ProjectSession::endsWithWindow() const {
    QStringList ends;
    if (const int waiting = queue.waiting(); waiting > 0) ends << tr("the queue (%1 to come)").arg(waiting);
    if (sweep.running()) ends << tr("the sweep");
    if (evaluation.running()) ends << tr("the evaluation");
    if (distil.running()) ends << tr("the distillation");
    if (edits.notes().anyRefused()) ends << tr("the storing of notes that found no room");
    return ends;
}

}  // namespace kurve::studio
