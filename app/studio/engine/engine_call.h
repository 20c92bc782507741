#pragma once

#include <functional>

#include "app/studio/engine/engine_process.h"
#include "core/base/result.h"

namespace kurve::studio {

/// One run of `kurve words… --json` that answers with a document. Deletes itself after the answer. If it is
/// deleted before, the engine finishes and its answer is dropped. GUI thread, never blocks.
class EngineCall : public EngineProcess {
    Q_OBJECT
public:
    /// `done` is called once, unless the call is deleted before. Errors: those of the engine (its code,
    /// message and remedy), engine.missing, engine.failed.
    using Done = std::function<void(const Result<nlohmann::json>&)>;
    static EngineCall* start(const QStringList& words, const Done& done, QObject* parent);
    /// Kills the engine; there will be no answer. For commands that write nothing.
    void cancel();

private:
    using EngineProcess::EngineProcess;
};

}  // namespace kurve::studio
