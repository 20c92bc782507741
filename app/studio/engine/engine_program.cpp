#include "app/studio/engine/engine_program.h"
#include "app/studio/engine/engine_call.h"

#include <QCoreApplication>
#include <QCryptographicHash>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QSaveFile>
#include <QStandardPaths>

namespace kurve::studio {

QString findEngineProgram() {
    if (const QString named = qEnvironmentVariable("KURVE_ENGINE"); !named.isEmpty())
        return QFileInfo(named).isExecutable() ? named : QString();
    const QString beside = QCoreApplication::applicationDirPath() + QStringLiteral("/kurve");
    if (QFileInfo(beside).isExecutable()) return beside;
    return QStandardPaths::findExecutable(QStringLiteral("kurve"));
}

Error engineMissing() {
    return workError("engine.missing", "the engine program `kurve` was not found")
        .in(QCoreApplication::applicationDirPath().toStdString())
        .fix("build it (packaging/run does), or put it beside kurve-studio or in PATH");
}

namespace {

/// The devices of an answer are those of this machine since it was started, with this driver.
QString cacheFileOf(const QString& program) {
    const QFileInfo file(program);
    QStringList parts{file.canonicalFilePath(),
                      QString::number(file.size()),
                      QString::number(file.lastModified().toMSecsSinceEpoch()),
                      QString::fromUtf8(QSysInfo::machineUniqueId()),
                      QString::fromUtf8(QSysInfo::bootUniqueId()),
                      qEnvironmentVariable("CUDA_VISIBLE_DEVICES", QStringLiteral("all"))};
    parts += QDir(QStringLiteral("/dev")).entryList({QStringLiteral("nvidia[0-9]*")}, QDir::System);
    const QByteArray key = parts.join(QLatin1Char('|')).toUtf8();
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::GenericCacheLocation) +
                           QStringLiteral("/kurve/describe");
    QDir().mkpath(folder);
    const QByteArray hash = QCryptographicHash::hash(key, QCryptographicHash::Sha256).toHex().left(24);
    return folder + QLatin1Char('/') + QString::fromLatin1(hash) + QStringLiteral(".json");
}

}  // namespace

void EngineDescription::load(const QString& program) {
    if (program.isEmpty()) return fail(QString::fromStdString(engineMissing().text()));
    const QString cacheFile = cacheFileOf(program);
    QFile cached(cacheFile);
    if (cached.open(QIODevice::ReadOnly) &&
        take(nlohmann::json::parse(cached.readAll().toStdString(), nullptr, false)))
        return;
    ask(cacheFile);
}

bool EngineDescription::take(const nlohmann::json& description) {
    if (description.is_discarded()) return false;
    auto info = views::EngineInfo::fromJson(description);
    if (!info) {
        problem_ = QString::fromStdString(info.error().text());
        return false;
    }
    info_ = std::move(*info);
    problem_.clear();
    Q_EMIT ready();
    return true;
}

void EngineDescription::fail(const QString& problem) {
    problem_ = problem;
    Q_EMIT failed();
}

std::function<void()> EngineDescription::call(const QStringList& words, Done done, QObject* owner) {
    const QPointer<EngineCall> call =
        EngineCall::start(words + QStringList{QStringLiteral("--project"), project_}, done, owner);
    return [call] {
        if (call) call->cancel();
    };
}

Status EngineDescription::available() const {
    return findEngineProgram().isEmpty() ? Status(engineMissing()) : Status();
}

void EngineDescription::ask(const QString& cacheFile) {
    const auto answered = [this, cacheFile](const Result<nlohmann::json>& answer) {
        if (!answer) return fail(QString::fromStdString(answer.error().text()));
        if (!take(*answer)) return fail(problem_);
        QSaveFile file(cacheFile);
        if (!file.open(QIODevice::WriteOnly)) return;
        file.write(QByteArray::fromStdString(answer->dump()));
        file.commit();
        for (const QFileInfo& other : QFileInfo(cacheFile).dir().entryInfoList(QDir::Files))
            if (other.lastModified().daysTo(QDateTime::currentDateTime()) > 30)
                QFile::remove(other.filePath());
    };
    EngineCall::start({QStringLiteral("describe")}, answered, this);
}

}  // namespace kurve::studio
