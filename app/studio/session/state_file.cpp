#include "app/studio/session/state_file.h"

#include <QCoreApplication>
#include <QDir>
#include <QFile>
#include <QFileInfo>
#include <QJsonDocument>
#include <QPointer>

#include "core/base/file.h"

namespace kurve::studio {

StateFile::StateFile(std::string path, QObject* parent) : QObject(parent), path_(std::move(path)) {
    writer_.setMaxThreadCount(1);
    later_.setSingleShot(true);
    later_.setInterval(500);
    connect(&later_, &QTimer::timeout, this, &StateFile::saveNow);
}

StateFile::~StateFile() {
    saveNow();
}

QJsonObject StateFile::load() {
    const QString name = QString::fromStdString(path_);
    const auto text = readFile(path_);
    if (!text && !QFileInfo::exists(name)) return {};
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(text.value_or("-")));
    if (document.isObject() || (text && text->empty())) return document.object();
    const QString kept = name + QStringLiteral(".damaged");
    QFile::remove(kept);
    problem_ = QFile::rename(name, kept) ? tr("%1 is damaged; it was moved to %2 and reset.").arg(name, kept)
                                         : tr("%1 is damaged and cannot be renamed; delete it.").arg(name);
    return {};
}

void StateFile::keepCopy(const QString& name) const {
    const QString copy = QFileInfo(QString::fromStdString(path_)).dir().filePath(name);
    QFile::remove(copy);
    if (const auto bytes = readFile(path_)) (void)writeFileAtomically(copy.toStdString(), *bytes);
}

void StateFile::put(const QJsonObject& state) {
    state_ = state;
    dirty_ = true;
    if (!later_.isActive()) later_.start();  // changes without a pause are saved, too
}

void StateFile::saveNow() {
    if (!std::exchange(dirty_, false)) return;
    writer_.start([file = QPointer<StateFile>(this), path = path_, bytes = QJsonDocument(state_).toJson()] {
        QDir().mkpath(QFileInfo(QString::fromStdString(path)).path());
        const Status status =
            writeFileAtomically(path, {bytes.data(), static_cast<std::size_t>(bytes.size())});
        const QString problem = status ? QString() : QString::fromStdString(status.error().text());
        QMetaObject::invokeMethod(qApp, [file, problem] {
            if (!file) return;
            if (problem.isEmpty())
                Q_EMIT file->saved();
            else
                Q_EMIT file->saveFailed(problem);
        });
    });
}

}  // namespace kurve::studio
