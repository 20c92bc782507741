#include "app/studio/project_session.h"

namespace kurve::studio {

ProjectSession::ProjectSession(store::Project project, bool restore, QObject* parent)
    : QObject(parent),
      catalog(project),
      control(project, catalog),
      queue(project, control, catalog, engine.info()),
      inspect(findEngineProgram(), project.folder()),
      sweep(findEngineProgram(), project.folder()),
      project_(std::move(project)),
      file_((project_.folder() / "layouts" / "session.json").string()) {
    if (restore) state_ = file_.load();
    connect(&file_, &StateFile::saved, this, &ProjectSession::saved);
    connect(&file_, &StateFile::saveFailed, this, &ProjectSession::saveFailed);
    connect(&engine, &EngineDescription::ready, &queue, &RunQueue::advance);
}

void ProjectSession::put(const QString& key, const QJsonValue& value) {
    if (state_.value(key) == value) return;
    state_.insert(key, value);
    file_.put(state_);
}

}  // namespace kurve::studio
