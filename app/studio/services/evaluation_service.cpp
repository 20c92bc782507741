#include "app/studio/services/evaluation_service.h"

#include "core/wire/fields.h"
#include "views/common/text/counted_text.h"

namespace kurve::studio {

EvaluationService::EvaluationService(QString program, std::filesystem::path project, QObject* parent)
    : Evaluations(parent), project_(std::move(project)), job_(EngineProcess::Kind::Job, std::move(program)) {
    connect(&job_, &EngineProcess::received, this, &EvaluationService::received);
    connect(&job_, &EngineProcess::ended, this, &EvaluationService::ended);
}

void EvaluationService::setStatus(bool running, const QString& text) {
    status_ = {running, text};
    Q_EMIT statusChanged(status_);
}

void EvaluationService::start(const views::EvaluationRequest& request) {
    if (job_.running() || request.runs.isEmpty()) return;
    request_ = request;
    run_ = 0;
    failures_.clear();
    next();
}

void EvaluationService::next() {
    const QString run = request_.runs.value(run_);
    QStringList words{QStringLiteral("eval"),         run,
                      QStringLiteral("--project"),    QString::fromStdString(project_.string()),
                      QStringLiteral("--checkpoint"), request_.checkpoint,
                      QStringLiteral("--split"),      request_.split,
                      QStringLiteral("--save")};
    if (!request_.metrics.isEmpty()) words << QStringLiteral("--metrics") << request_.metrics;
    for (auto it = request_.settings.begin(); it != request_.settings.end(); ++it)
        words << QStringLiteral("--set") << QStringLiteral("%1=%2").arg(it.key(), *it);
    if (!request_.scorer.isEmpty()) words << QStringLiteral("--scorer") << request_.scorer;
    if (request_.limit > 0) words << QStringLiteral("--limit") << QString::number(request_.limit);
    setStatus(true, tr("%1: loading the model…").arg(run));
    job_.beginJob(words);
}

void EvaluationService::received(const wire::Message& message) {
    if (message.type != "progress") return;
    const wire::Fields fields(message.body);
    setStatus(true, tr("%1: %2 of %3 decoded")
                        .arg(request_.runs.value(run_))
                        .arg(fields.integer("step", 0))
                        .arg(views::countedText(fields.integer("total", 0), tr("pair"))));
}

void EvaluationService::noteFailure(const QString& why) {
    const QString run = request_.runs.value(run_);
    for (Failure& known : failures_)
        if (known.why == why) {
            known.runs << run;
            return;
        }
    failures_.push_back({why, {run}});
}

QString EvaluationService::outcome() const {
    if (failures_.empty()) return tr("Done; scores saved with the run.");
    if (request_.runs.size() == 1) return failures_.front().why;
    qsizetype failed = 0;
    QStringList all;
    for (const Failure& one : failures_) {
        failed += one.runs.size();
        all << tr("%1: %2").arg(one.runs.join(QStringLiteral(", ")), one.why);
    }
    return tr("%1 of %2 runs scored. Failed: %3")
        .arg(run_ - failed)
        .arg(request_.runs.size())
        .arg(all.join(QStringLiteral("; ")));
}

void EvaluationService::ended(const EngineEnd& end) {
    if (end.kind == EngineEnd::Kind::Done) Q_EMIT evaluated();
    if (end.stopAsked || end.kind == EngineEnd::Kind::Stopped) {
        setStatus(false, failures_.empty() ? tr("Cancelled.") : tr("Cancelled. %1").arg(outcome()));
    } else {
        if (end.kind == EngineEnd::Kind::Failed) noteFailure(end.why);
        if (++run_ < request_.runs.size()) return next();
        setStatus(false, outcome());
    }
    Q_EMIT said(tr("Evaluation: %1").arg(status_.text));
}

}  // namespace kurve::studio
