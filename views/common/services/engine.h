#pragma once

#include <QObject>
#include <QStringList>
#include <functional>
#include <nlohmann/json.hpp>

#include "core/base/result.h"

namespace kurve::views {

/// The engine program: short commands on the open project, and how its description fares.
class Engine {
public:
    virtual ~Engine() = default;
    /// Called once, unless `owner` is deleted before or the command is cancelled. Errors: those of the engine
    /// (its code, message and remedy), engine.missing, engine.failed.
    using Done = std::function<void(const Result<nlohmann::json>&)>;
    /// Runs `kurve WORDS… --project P --json`; returns what cancels it.
    virtual std::function<void()> call(const QStringList& /*words*/, Done /*done*/, QObject* /*owner*/) {
        return [] {};
    }
    /// Errors: engine.missing.
    [[nodiscard]] virtual Status available() const { return {}; }
    /// Why there is no EngineInfo; empty while all is well.
    [[nodiscard]] virtual QString problem() const { return {}; }
    /// Asks for the description again.
    virtual void describe() {}
};

}  // namespace kurve::views
