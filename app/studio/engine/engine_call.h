#pragma once

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QStringList>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace kurve::studio {

/// One run of `kurve words… --json` that answers with a document. Deletes itself after the answer. If it is
/// deleted before, the engine finishes and its answer is dropped. GUI thread, never blocks.
class EngineCall : public QObject {
    Q_OBJECT
public:
    /// `done` is called once, unless the call is deleted before. Errors: those of the engine (its code,
    /// message and remedy), engine.missing, engine.failed.
    using Done = std::function<void(const Result<nlohmann::json>&)>;
    static EngineCall* start(const QStringList& words, Done done, QObject* parent);
    ~EngineCall() override;
    /// Kills the engine; there will be no answer. For commands that write nothing.
    void cancel();
    /// Asks the engine to end, which cleans up and answers with an error (`new`).
    void stop();

private:
    EngineCall(Done done, QObject* parent);
    void ended();
    void answer(const Result<nlohmann::json>& result);

    Done done_;
    QPointer<QProcess> process_;
};

}  // namespace kurve::studio
