#include "app/studio/engine/engine_job.h"

#include <QTimer>

#include "app/studio/engine/engine_link.h"
#include "app/studio/engine/engine_program.h"

namespace kurve::studio {

namespace {
constexpr int kTermMs = 4000, kKillMs = 8000, kClosingMs = 300;
constexpr int kStoppedByUser = 130;
}  // namespace

EngineJob::EngineJob(QString program, QObject* parent) : QObject(parent), program_(std::move(program)) {}

EngineJob::~EngineJob() {
    if (process_ == nullptr) return;
    process_->disconnect();
    process_->terminate();
    process_->waitForFinished(kClosingMs);  // the window is closing; what is finished is on the disk
}

void EngineJob::start(const QStringList& words) {
    lastWords_.clear();
    process_ = std::make_unique<QProcess>();
    if (program_.isEmpty()) {
        const QString why = QString::fromStdString(engineMissing().text());
        QMetaObject::invokeMethod(
            this,
            [this, why] {
                finish({JobEnd::Kind::Failed, false, why});
            },
            Qt::QueuedConnection);
        return;
    }
    listen();
    process_->start(program_, words + QStringList{QStringLiteral("--events")});
}

void EngineJob::listen() {
    link_ = new EngineLink(process_.get(), process_.get());
    connect(link_, &EngineLink::received, this, [this](const wire::Message& message) {
        if (message.type == "error") lastWords_ = errorText(message);
        Q_EMIT received(message);
    });
    connect(process_.get(), &QProcess::finished, this, &EngineJob::finished);
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        finish({JobEnd::Kind::Failed, false,
                tr("The engine could not be started: %1; check %2.").arg(process_->errorString(), program_)});
    });
}

void EngineJob::finished(int code, QProcess::ExitStatus how) {
    if (link_ != nullptr) link_->drain();
    const QString log =
        QString::fromUtf8(process_->readAllStandardError()).trimmed().section(QLatin1Char('\n'), -1);
    if (code == kStoppedByUser) return finish({JobEnd::Kind::Stopped, false, {}});
    if (how == QProcess::CrashExit)
        return finish({JobEnd::Kind::Failed, true, tr("The engine ended unexpectedly.")});
    if (code != 0) return finish({JobEnd::Kind::Failed, false, lastWords_.isEmpty() ? log : lastWords_});
    finish({});
}

void EngineJob::finish(const JobEnd& end) {
    link_ = nullptr;
    process_.release()->deleteLater();
    Q_EMIT ended(end);
}

void EngineJob::stop() {
    if (process_ == nullptr || link_ == nullptr) return;
    link_->send("stop");
    QProcess* process = process_.get();
    QTimer::singleShot(kTermMs, process, &QProcess::terminate);
    QTimer::singleShot(kKillMs, process, &QProcess::kill);
}

}  // namespace kurve::studio
