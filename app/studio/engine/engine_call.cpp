#include "app/studio/engine/engine_call.h"

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

Result<nlohmann::json> answerOf(const EngineEnd& end, bool missing) {
    if (missing) return engineMissing();
    if (end.code == EngineEnd::kNotStarted) return workError("engine.failed", end.why.toStdString());
    auto document = nlohmann::json::parse(end.output.begin(), end.output.end(), nullptr, false);
    if (end.kind == EngineEnd::Kind::Done && !document.is_discarded()) return document;
    const nlohmann::json* found = errorEntryOf(document);
    if (found == nullptr)
        return workError("engine.failed", "the engine returned no valid answer: " + end.log.toStdString());
    return wire::errorIn(*found, workError("engine.failed", "the engine gave no reason"));
}

}  // namespace

EngineCall* EngineCall::start(const QStringList& words, const Done& done, QObject* parent) {
    const QString program = findEngineProgram();
    auto* call = new EngineCall(Kind::Call, program, parent);
    connect(call, &EngineProcess::ended, call, [call, done, missing = program.isEmpty()](const auto& end) {
        call->deleteLater();
        done(answerOf(end, missing));
    });
    call->begin(words + QStringList{QStringLiteral("--json"), QStringLiteral("--quiet")});
    return call;
}

void EngineCall::cancel() {
    kill();
    deleteLater();
}

}  // namespace kurve::studio
