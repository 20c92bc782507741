#pragma once

#include <QObject>
#include <QString>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/result.h"

namespace kurve::views {

/// A message to a run's model (core/train/inference_server.h).
struct InferenceRequest {
    QString run, checkpoint;  ///< checkpoint: "last", "best" or a step
    std::string type;
    nlohmann::json body;
};

/// An engine that keeps a model loaded between requests. GUI thread.
class Inference {
public:
    virtual ~Inference() = default;
    /// Called once with the body of the answer, unless `owner` is deleted before or a request for another run
    /// or checkpoint follows. Errors: those of the engine, engine.failed.
    using Done = std::function<void(const Result<nlohmann::json>&)>;
    virtual void ask(InferenceRequest /*request*/, Done /*done*/, QObject* /*owner*/) {}
    /// Frees the model's memory; the next request loads it again.
    virtual void release() {}
};

}  // namespace kurve::views
