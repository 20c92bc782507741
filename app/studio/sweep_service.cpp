#include "app/studio/sweep_service.h"

#include <QTimer>
#include <algorithm>

#include "app/studio/engine_link.h"
#include "app/studio/engine_program.h"
#include "core/base/clock.h"
#include "views/common/format.h"

namespace kurve::studio {

using views::SweepStatus;
using Kind = SweepStatus::Kind;

namespace {
constexpr int kTermMs = 4000, kKillMs = 8000;
}

SweepService::SweepService(QString program, std::filesystem::path project, QObject* parent)
    : QObject(parent), program_(std::move(program)), project_(std::move(project)) {}

SweepService::~SweepService() {
    if (process_ == nullptr) return;
    process_->disconnect();
    process_->terminate();
    process_->waitForFinished(300);  // the window is closing; finished points are files already
}

void SweepService::setStatus(Kind kind, const QString& text) {
    status_.kind = kind;
    status_.text = text;
    Q_EMIT statusChanged(status_);
}

void SweepService::start(const views::SweepWish& wish) {
    if (process_ != nullptr) return;
    if (program_.isEmpty()) return setStatus(Kind::Failed, QString::fromStdString(engineMissing().text()));
    wish_ = wish;
    run_ = 0;
    estimated_ = 0;
    estimatedPoints_ = cachedPoints_ = 0;
    next();
}

void SweepService::next() {
    const QString run = wish_.runs.value(run_);
    status_.done = status_.total = 0;
    lastWords_.clear();
    afterwards_ = Kind::Idle;
    process_ = std::make_unique<QProcess>();
    link_ = new EngineLink(process_.get(), process_.get());
    connect(link_, &EngineLink::received, this, &SweepService::received);
    connect(process_.get(), &QProcess::finished, this, &SweepService::ended);
    connect(process_.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        const QString why = process_->errorString();
        link_ = nullptr;
        process_.release()->deleteLater();
        setStatus(Kind::Failed, tr("The engine could not be started: %1; check %2.").arg(why, program_));
    });
    QStringList arguments{QStringLiteral("sweep"),
                          run,
                          QStringLiteral("--events"),
                          QStringLiteral("--project"),
                          QString::fromStdString(project_.string()),
                          QStringLiteral("--seeds"),
                          QString::number(wish_.seeds),
                          QStringLiteral("--limit"),
                          QString::number(wish_.sentences),
                          QStringLiteral("--refine"),
                          QString::number(wish_.refine)};
    for (const QString& axis : wish_.grid) arguments << QStringLiteral("--grid") << axis;
    if (wish_.estimateOnly) arguments << QStringLiteral("--estimate");
    setStatus(wish_.estimateOnly ? Kind::Estimating : Kind::Running, tr("%1: loading the model…").arg(run));
    process_->start(program_, arguments);
}

void SweepService::received(const wire::Message& message) {
    const auto& body = message.body;
    if (message.type == "progress") {
        status_.done = body.value("step", 0);
        status_.total = body.value("total", 0);
        const double eta = body.value("eta_seconds", 0.0);
        QString text =
            tr("%1: %2 of %3 points").arg(wish_.runs.value(run_)).arg(status_.done).arg(status_.total);
        if (eta > 0) text += tr(", about %1 left").arg(views::durationText(eta));
        setStatus(status_.kind, text);
        const auto now = static_cast<qint64>(steadySeconds() * 1000);
        if (now - lastNews_ > 1000) {
            lastNews_ = now;
            Q_EMIT pointsChanged();
        }
    } else if (message.type == "error") {
        lastWords_ = QString::fromStdString(body.value("message", std::string()));
        const auto remedy = QString::fromStdString(body.value("remedy", std::string()));
        if (!remedy.isEmpty()) lastWords_ += QStringLiteral("; ") + remedy;
    } else if (message.type == "done" && wish_.estimateOnly) {
        estimated_ += body.value("seconds", 0.0);
        estimatedPoints_ += body.value("points", 0);
        cachedPoints_ += body.value("cached", 0);
    }
}

void SweepService::ended(int code, QProcess::ExitStatus how) {
    if (link_ != nullptr) link_->drain();
    const QString log =
        QString::fromUtf8(process_->readAllStandardError()).trimmed().section(QLatin1Char('\n'), -1);
    link_ = nullptr;
    process_.release()->deleteLater();
    Q_EMIT pointsChanged();
    if (afterwards_ == Kind::Paused)
        return setStatus(
            Kind::Paused,
            tr("Paused after %1 of %2 points; they are kept.").arg(status_.done).arg(status_.total));
    const bool stopped = code == 130;
    if (how == QProcess::CrashExit && !stopped)
        return setStatus(
            Kind::Failed,
            tr("The engine ended unexpectedly; finished points are kept, start again to go on."));
    if (code != 0 && !stopped) return setStatus(Kind::Failed, !lastWords_.isEmpty() ? lastWords_ : log);
    if (stopped) return setStatus(Kind::Idle, tr("Cancelled; %1 points are kept.").arg(status_.done));
    if (++run_ < wish_.runs.size()) return next();
    if (!wish_.estimateOnly) return setStatus(Kind::Idle, tr("Done."));
    setStatus(Kind::Idle, tr("%1 points, %2 known already: about %3.")
                              .arg(estimatedPoints_)
                              .arg(cachedPoints_)
                              .arg(views::durationText(std::max(1.0, estimated_))));
}

void SweepService::stopEngine() {
    if (process_ == nullptr) return;
    if (link_ != nullptr) link_->send("stop");
    QProcess* process = process_.get();
    QTimer::singleShot(kTermMs, process, &QProcess::terminate);
    QTimer::singleShot(kKillMs, process, &QProcess::kill);
}

void SweepService::pause() {
    if (process_ == nullptr) return;
    afterwards_ = Kind::Paused;
    setStatus(status_.kind, tr("Finishing…"));
    stopEngine();
}

void SweepService::cancel() {
    if (process_ == nullptr) return setStatus(Kind::Idle, {});
    setStatus(status_.kind, tr("Stopping…"));
    stopEngine();
}

}  // namespace kurve::studio
