#include "app/studio/project_session.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QPointer>

#include "core/base/file.h"

namespace kurve::studio {

ProjectSession::ProjectSession(store::Project project, bool restore, QObject* parent)
    : QObject(parent),
      catalog(project),
      control(project, catalog),
      inspect(findEngineProgram(), project.folder()),
      sweep(findEngineProgram(), project.folder()),
      project_(std::move(project)) {
    if (const auto text = restore ? readFile(file()) : Result<std::string>(std::string()))
        state_ = QJsonDocument::fromJson(QByteArray::fromStdString(*text)).object();
    writer_.setMaxThreadCount(1);
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
    writer_.start(
        [session = QPointer<ProjectSession>(this), path = file(), bytes = QJsonDocument(state_).toJson()] {
            QDir().mkpath(QFileInfo(QString::fromStdString(path)).path());
            const Status status =
                writeFileAtomically(path, {bytes.data(), static_cast<std::size_t>(bytes.size())});
            const QString problem = status ? QString() : QString::fromStdString(status.error().text());
            QMetaObject::invokeMethod(qApp, [session, problem] {
                if (!session) return;
                if (problem.isEmpty())
                    Q_EMIT session->saved();
                else
                    Q_EMIT session->saveFailed(problem);
            });
        });
}

}  // namespace kurve::studio
