#include "app/studio/project_session.h"

#include <QDir>
#include <QJsonDocument>

#include "core/base/file.h"

namespace kurve::studio {

ProjectSession::ProjectSession(store::Project project, bool restore, QObject* parent)
    : QObject(parent),
      catalog(project),
      control(project, catalog),
      inspect(findEngineProgram(), project.folder()),
      project_(std::move(project)) {
    if (const auto text = restore ? readFile(file()) : Result<std::string>(std::string()))
        state_ = QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object();
    saveLater_.setSingleShot(true);
    saveLater_.setInterval(500);
    connect(&saveLater_, &QTimer::timeout, this, &ProjectSession::saveNow);
}

ProjectSession::~ProjectSession() {
    saveNow();
}

std::string ProjectSession::file() const {
    return (project_.folder() / "layouts" / "session.json").string();
}

void ProjectSession::put(const QString& key, const QJsonValue& value) {
    if (state_.value(key) == value) return;
    state_.insert(key, value);
    dirty_ = true;
    saveLater_.start();
}

void ProjectSession::saveNow() {
    if (!std::exchange(dirty_, false)) return;
    QDir().mkpath(QString::fromStdString((project_.folder() / "layouts").string()));
    const QByteArray bytes = QJsonDocument(state_).toJson();
    const Status status = writeFileAtomically(file(), {bytes.data(), static_cast<std::size_t>(bytes.size())});
    if (status)
        Q_EMIT saved();
    else
        Q_EMIT saveFailed(QString::fromStdString(status.error().text()));
}

}  // namespace kurve::studio
