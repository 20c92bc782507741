#include "app/studio/engine/inference_process.h"

#include "core/wire/fields.h"

namespace kurve::studio {

InferenceProcess::InferenceProcess(QString program, std::filesystem::path project, QObject* parent)
    : QObject(parent), project_(std::move(project)), engine_(EngineProcess::Kind::Job, std::move(program)) {
    connect(&engine_, &EngineProcess::received, this, &InferenceProcess::take);
    connect(&engine_, &EngineProcess::ended, this, &InferenceProcess::ended);
}

bool InferenceProcess::load(const QString& run, const QString& checkpoint) {
    if (run != run_ || checkpoint != checkpoint_) release();
    run_ = run;
    checkpoint_ = checkpoint;
    if (!engine_.running()) start();
    return serving_;
}

void InferenceProcess::start() {
    QStringList arguments{QStringLiteral("sample"), run_, QStringLiteral("--serve"),
                          QStringLiteral("--project"), QString::fromStdString(project_.string())};
    if (!checkpoint_.isEmpty()) arguments << QStringLiteral("--checkpoint") << checkpoint_;
    engine_.begin(arguments);
}

void InferenceProcess::release() {
    serving_ = false;
    engine_.release();
}

void InferenceProcess::take(const wire::Message& message) {
    if (message.type == "hello") {
        const QString problem = protocolProblem(message);
        if (problem.isEmpty()) return;
        release();
        return Q_EMIT failed(problem);
    }
    if (message.type == "state" && wire::Fields(message.body).text("state") == "serving") {
        serving_ = true;
        return Q_EMIT serving();
    }
    if (message.type == "error" && message.id.empty()) return;  // EngineEnd has it
    Q_EMIT received(message);
}

void InferenceProcess::ended(const EngineEnd& end) {
    serving_ = false;
    if (end.crashed)
        return Q_EMIT failed(tr("The engine crashed (signal %1); try again. %2").arg(end.code).arg(end.log));
    if (end.code != 0)
        return Q_EMIT failed(
            end.why.isEmpty() ? tr("The engine exited with code %1; try again.").arg(end.code) : end.why);
    Q_EMIT failed(tr("The engine exited; try again."));
}

}  // namespace kurve::studio
