#include "app/studio/project_session.h"

#include "views/common/theme.h"

namespace kurve::studio {

ProjectSession::ProjectSession(store::Project project, bool restore, QObject* parent)
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
      file_((project_.folder() / "layouts" / "session.json").string()) {
    if (restore) state_ = file_.load();
    selection.setHiddenRuns(
        state_.value(QStringLiteral("hidden")).toString().split(QLatin1Char(' '), Qt::SkipEmptyParts));
    edits.watchHidden(selection);
    connect(&file_, &StateFile::saved, this, &ProjectSession::saved);
    connect(&file_, &StateFile::saveFailed, this, &ProjectSession::saveFailed);
    connect(&sweep, &SweepService::pointsChanged, &catalog, &views::RunCatalog::refreshSoon);
    connect(&evaluation, &EvaluationService::evaluated, &catalog, &views::RunCatalog::refreshSoon);
    connect(&samplers, &DefaultSamplers::kept, &catalog, &views::RunCatalog::refreshSoon);
    connect(&samplers, &DefaultSamplers::kept, &inspect, &InspectService::release);
    connect(&engine, &EngineDescription::ready, &queue, &RunQueue::advance);
    const QJsonObject places = state_.value(QStringLiteral("runStyles")).toObject();
    QHash<QString, int> kept;
    for (auto it = places.begin(); it != places.end(); ++it) kept[it.key()] = it->toInt();
    views::setRunStylePlaces(kept);
    connect(&catalog, &views::RunCatalog::runsChanged, this, &ProjectSession::keepRunStyles);
    connect(views::themeNotifier(), &views::ThemeNotifier::changed, this, &ProjectSession::keepRunStyles);
}

void ProjectSession::keepRunStyles() {
    if (catalog.runs().empty()) return;  // not read yet
    const QHash<QString, int> places = views::runStylePlaces();
    QJsonObject kept;
    for (const auto& run : catalog.runs()) {
        const QString id = QString::fromStdString(run.id);
        if (const auto place = places.find(id); place != places.end()) kept.insert(id, *place);
    }
    put(QStringLiteral("runStyles"), kept);
}

void ProjectSession::put(const QString& key, const QJsonValue& value) {
    if (state_.value(key) == value) return;
    state_.insert(key, value);
    file_.put(state_);
}

}  // namespace kurve::studio
