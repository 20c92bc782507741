#include "app/studio/engine/engine_call.h"

#include <signal.h>
#include <unistd.h>

#include "app/studio/engine/engine_program.h"
#include "core/wire/fields.h"

namespace kurve::studio {

namespace {

/// The error of an answer, or the first of the problems that a check found.
const nlohmann::json* errorEntryOf(const nlohmann::json& document) {
    if (!document.is_object()) return nullptr;
    const auto error = document.find("error"), problems = document.find("problems");
    if (error != document.end()) return error->is_object() ? &*error : nullptr;
    const bool any = problems != document.end() && problems->is_array() && !problems->empty();
    return any && problems->front().is_object() ? &problems->front() : nullptr;
}

Error errorOf(const nlohmann::json& document, const QString& log) {
    const nlohmann::json* found = errorEntryOf(document);
    if (found == nullptr)
        return workError("engine.failed", "the engine returned no valid answer: " +
                                              log.trimmed().section(QLatin1Char('\n'), -1).toStdString());
    return wire::errorIn(*found, workError("engine.failed", "the engine gave no reason"));
}

}  // namespace

EngineCall* EngineCall::start(const QStringList& words, Done done, QObject* parent) {
    auto* call = new EngineCall(std::move(done), parent);
    const QString program = findEngineProgram();
    if (program.isEmpty()) {
        QMetaObject::invokeMethod(
            call, [call] { call->answer(engineMissing()); }, Qt::QueuedConnection);
        return call;
    }
    call->process_->start(program, words + QStringList{QStringLiteral("--json"), QStringLiteral("--quiet")});
    call->process_->closeWriteChannel();
    return call;
}

EngineCall::EngineCall(Done done, QObject* parent)
    : QObject(parent), done_(std::move(done)), process_(new QProcess) {
    process_->setChildProcessModifier([] {
        if (::nice(10) == -1)
            return;  // as trainings: the window stays responsive, and timings are comparable
    });
    connect(process_, &QProcess::finished, this, &EngineCall::ended);
    connect(process_, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error == QProcess::FailedToStart)
            answer(workError("engine.failed", process_->errorString().toStdString()));
    });
}

EngineCall::~EngineCall() {
    process_->disconnect();
    // ~QProcess would kill the engine in the middle of a write.
    if (process_->state() == QProcess::NotRunning) delete process_.data();
}

void EngineCall::cancel() {
    done_ = nullptr;
    process_->kill();
}

void EngineCall::stop() {
    process_->terminate();
}

void EngineCall::ended() {
    const QByteArray text = process_->readAllStandardOutput();
    auto document = nlohmann::json::parse(text.begin(), text.end(), nullptr, false);
    const bool good = process_->exitStatus() == QProcess::NormalExit && process_->exitCode() == 0;
    if (good && !document.is_discarded()) return answer(std::move(document));
    answer(errorOf(document, QString::fromUtf8(process_->readAllStandardError())));
}

void EngineCall::answer(const Result<nlohmann::json>& result) {
    const Done done = std::exchange(done_, nullptr);
    deleteLater();
    if (done) done(result);
}

}  // namespace kurve::studio
