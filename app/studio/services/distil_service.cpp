#include "app/studio/services/distil_service.h"

#include "core/wire/fields.h"
#include "views/common/text/counted_text.h"
#include "views/common/text/format.h"

namespace kurve::studio {

DistilService::DistilService(QString program, std::filesystem::path project, QObject* parent)
    : QObject(parent), project_(std::move(project)), job_(EngineProcess::Kind::Job, std::move(program)) {
    connect(&job_, &EngineProcess::received, this, &DistilService::received);
    connect(&job_, &EngineProcess::ended, this, &DistilService::ended);
}

void DistilService::setStatus(const QString& text) {
    status_ = text;
    Q_EMIT statusChanged(status_);
}

void DistilService::start(const QString& runId) {
    if (runId.isEmpty()) return Q_EMIT said(tr("Select a teacher run."));
    if (job_.running()) return Q_EMIT said(tr("%1 is already being distilled; wait or stop it.").arg(run_));
    run_ = runId;
    file_.clear();
    setStatus(tr("Distilling %1: loading the model…").arg(run_));
    job_.beginJob({QStringLiteral("distil"), run_, QStringLiteral("--project"),
                   QString::fromStdString(project_.string())});
}

void DistilService::received(const wire::Message& message) {
    const wire::Fields fields(message.body);
    if (message.type == "progress") {
        QString text = tr("Distilling %1: %2 of %3")
                           .arg(run_)
                           .arg(fields.integer("step", 0))
                           .arg(fields.integer("total", 0));
        if (const double eta = fields.number("eta_seconds"); eta > 0)
            text += tr(", about %1 left").arg(views::durationText(eta));
        setStatus(text);
    } else if (message.type == "mark") {
        setStatus(tr("Distilling %1: %2").arg(run_, QString::fromStdString(fields.text("text"))));
    } else if (message.type == "done") {
        file_ = QString::fromStdString(fields.text("file"));
        pairs_ = fields.integer("pairs", 0);
        total_ = fields.integer("total", 0);
    }
}

void DistilService::ended(const EngineEnd& end) {
    setStatus({});
    if (end.kind == EngineEnd::Kind::Stopped)
        return Q_EMIT said(tr("Cancelled; decoded pairs are kept. Distil %1 again to continue.").arg(run_));
    if (end.kind == EngineEnd::Kind::Failed) return Q_EMIT said(end.why);
    Q_EMIT said(tr("%1: %2 of %3.").arg(file_).arg(pairs_).arg(views::countedText(total_, tr("pair"))));
    if (!file_.isEmpty()) Q_EMIT made(file_);
}

}  // namespace kurve::studio
