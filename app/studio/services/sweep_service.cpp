#include "app/studio/services/sweep_service.h"

#include <algorithm>

#include "core/base/clock.h"
#include "core/wire/fields.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"

namespace kurve::studio {

using views::countedText;
using views::SweepStatus;
using Kind = SweepStatus::Kind;

SweepService::SweepService(QString program, std::filesystem::path project, QObject* parent)
    : Sweeps(parent), project_(std::move(project)), job_(EngineProcess::Kind::Job, std::move(program)) {
    connect(&job_, &EngineProcess::received, this, &SweepService::received);
    connect(&job_, &EngineProcess::ended, this, &SweepService::ended);
}

void SweepService::setStatus(Kind kind, const QString& text) {
    status_.kind = kind;
    status_.text = text;
    Q_EMIT statusChanged(status_);
}

void SweepService::start(const views::SweepRequest& request) {
    if (job_.running()) return;
    request_ = request;
    run_ = 0;
    estimated_ = 0;
    estimatedPoints_ = refinedPoints_ = cachedPoints_ = 0;
    spent_ = 0;
    left_ = 0;
    next();
}

void SweepService::next() {
    const QString run = request_.runs.value(run_);
    status_.done = status_.total = 0;
    afterwards_ = Kind::Idle;
    QStringList arguments{QStringLiteral("sweep"),     run,
                          QStringLiteral("--project"), QString::fromStdString(project_.string()),
                          QStringLiteral("--seeds"),   QString::number(request_.seeds),
                          QStringLiteral("--limit"),   QString::number(request_.sentences),
                          QStringLiteral("--refine"),  QString::number(request_.refine)};
    for (const QString& axis : request_.grid) arguments << QStringLiteral("--grid") << axis;
    const std::pair<const char*, QString> choices[] = {{"--checkpoint", request_.checkpoint},
                                                       {"--split", request_.split},
                                                       {"--scorer", request_.scorer},
                                                       {"--quality", request_.quality},
                                                       {"--diversity", request_.diversity}};
    for (const auto& [name, value] : choices)
        if (!value.isEmpty()) arguments << QLatin1String(name) << value;
    if (request_.seconds > 0) arguments << QStringLiteral("--max-seconds") << QString::number(secondsLeft());
    if (request_.estimateOnly) arguments << QStringLiteral("--estimate");
    setStatus(request_.estimateOnly ? Kind::Estimating : Kind::Running,
              tr("%1: loading the model…").arg(run));
    job_.beginJob(arguments);
}

void SweepService::received(const wire::Message& message) {
    const wire::Fields fields(message.body);
    if (message.type == "progress") {
        status_.done = fields.integer("step", 0);
        status_.total = fields.integer("total", 0);
        const double eta = fields.number("eta_seconds");
        QString text = tr("%1: %2 of %3")
                           .arg(request_.runs.value(run_))
                           .arg(status_.done)
                           .arg(countedText(status_.total, tr("point")));
        if (eta > 0) text += tr(", about %1 left").arg(views::durationText(eta));
        setStatus(status_.kind, text);
        const auto now = static_cast<qint64>(steadySeconds() * 1000);
        if (now - lastNews_ > 1000) {
            lastNews_ = now;
            Q_EMIT pointsChanged();
        }
    } else if (message.type == "done" && !request_.estimateOnly) {
        spent_ += fields.number("seconds");
        left_ += fields.integer("left", 0);
    } else if (message.type == "done") {
        estimated_ += fields.number("seconds");
        estimatedPoints_ += fields.integer("points", 0);
        refinedPoints_ += fields.integer("refine", 0);
        cachedPoints_ += fields.integer("cached", 0);
    }
}

void SweepService::ended(const EngineEnd& end) {
    Q_EMIT pointsChanged();
    if (afterwards_ == Kind::Paused)
        return setStatus(Kind::Paused, tr("Paused after %1 of %2; finished points are kept.")
                                           .arg(status_.done)
                                           .arg(countedText(status_.total, tr("point"))));
    if (end.stopAsked || end.kind == EngineEnd::Kind::Stopped)
        return setStatus(Kind::Idle, tr("Cancelled; %1 kept.").arg(countedText(status_.done, tr("point"))));
    if (end.crashed)
        return setStatus(
            Kind::Failed,
            tr("The engine ended unexpectedly; finished points are kept, start again to continue."));
    if (end.kind == EngineEnd::Kind::Failed) return setStatus(Kind::Failed, end.why);
    ++run_;
    const bool mayBegin = request_.estimateOnly || request_.seconds <= 0 || secondsLeft() > 0;
    if (run_ < request_.runs.size() && mayBegin) return next();
    setStatus(Kind::Idle, outcome());
}

QString SweepService::outcome() const {
    if (request_.estimateOnly) {
        const QString points = refinedPoints_ == 0 ? countedText(estimatedPoints_, tr("point"))
                                                   : tr("%1 and up to %2 refined")
                                                         .arg(countedText(estimatedPoints_, tr("point")))
                                                         .arg(refinedPoints_);
        if (refinedPoints_ == 0 && cachedPoints_ == estimatedPoints_)
            return tr("%1, all cached: nothing to decode.").arg(points);
        return tr("%1, %2 cached: about %3.")
            .arg(points)
            .arg(cachedPoints_)
            .arg(views::durationText(std::max(1.0, estimated_)));
    }
    const QStringList notBegun = request_.runs.mid(run_);
    QStringList open;
    if (left_ > 0) open << tr("%1 left").arg(countedText(left_, tr("point")));
    if (!notBegun.isEmpty()) open << tr("not started: %1").arg(notBegun.join(QStringLiteral(", ")));
    if (open.isEmpty()) return tr("Done.");
    return tr("%1. Time limit reached; Start continues.").arg(open.join(QStringLiteral("; ")));
}

void SweepService::pause() {
    if (!job_.running()) return;
    afterwards_ = Kind::Paused;
    setStatus(status_.kind, tr("Finishing…"));
    job_.stop();
}

void SweepService::cancel() {
    if (!job_.running()) return setStatus(Kind::Idle, {});
    afterwards_ = Kind::Idle;
    setStatus(status_.kind, tr("Stopping…"));
    job_.stop();
}

}  // namespace kurve::studio
