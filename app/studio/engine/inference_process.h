#pragma once

#include <filesystem>

#include "app/studio/engine/engine_process.h"

namespace kurve::studio {

/// An inference engine (`kurve sample RUN --serve`), which keeps a checkpoint loaded; it resolves "last" and
/// "best" with every request. GUI thread; never blocks.
class InferenceProcess : public QObject {
    Q_OBJECT
public:
    /// `program`: as of EngineProcess; `project`: the folder whose runs are meant.
    InferenceProcess(QString program, std::filesystem::path project, QObject* parent = nullptr);

    /// Whether it takes requests on these weights. If not it is started, in place of the one of another run
    /// or checkpoint name, and serving() or failed() follows.
    bool load(const QString& run, const QString& checkpoint);
    [[nodiscard]] bool isRunning() const { return engine_.running(); }
    [[nodiscard]] bool isServing() const { return serving_; }
    [[nodiscard]] qint64 pid() const { return engine_.pid(); }
    /// False if it is not connected.
    bool send(const std::string& type, nlohmann::json body, const std::string& id) {
        return engine_.send(type, std::move(body), id);
    }
    /// Ends it and frees its memory.
    void release();

Q_SIGNALS:
    void serving();  ///< loaded, or newer weights
    void received(const kurve::wire::Message& message);
    void failed(const QString& text);  ///< missing, crashed, foreign or ended, with its remedy

private:
    void start();
    void take(const wire::Message& message);
    void ended(const EngineEnd& end);

    std::filesystem::path project_;
    EngineProcess engine_;
    QString run_, checkpoint_;
    bool serving_ = false;
};

}  // namespace kurve::studio
