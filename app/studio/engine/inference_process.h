#pragma once

#include <QObject>
#include <QProcess>
#include <filesystem>
#include <memory>

#include "core/wire/message.h"

namespace kurve::studio {

class EngineLink;

/// An inference engine (`kurve sample RUN --serve`), which keeps a checkpoint loaded; it resolves "last" and
/// "best" with every request. GUI thread; never blocks.
class InferenceProcess : public QObject {
    Q_OBJECT
public:
    /// `program`: the engine, empty if none was found; `project`: the folder whose runs are meant.
    InferenceProcess(QString program, std::filesystem::path project, QObject* parent = nullptr);
    ~InferenceProcess() override;

    /// Whether it takes requests on these weights. If not it is started, in place of the one of another run
    /// or checkpoint name, and serving() or failed() follows, failed() perhaps at once.
    bool load(const QString& run, const QString& checkpoint);
    [[nodiscard]] bool isRunning() const { return process_ != nullptr; }
    [[nodiscard]] bool isServing() const { return serving_; }
    [[nodiscard]] qint64 pid() const { return process_ != nullptr ? process_->processId() : 0; }
    /// False if it is not connected.
    bool send(const std::string& type, nlohmann::json body, const std::string& id);
    /// Ends it and frees its memory.
    void release();

Q_SIGNALS:
    void serving();  ///< loaded, or newer weights
    void received(const kurve::wire::Message& message);
    void failed(const QString& text);  ///< missing, crashed, foreign or ended, with its remedy

private:
    void start();
    void take(const wire::Message& message);
    void ended(int code, QProcess::ExitStatus how);

    QString program_;
    std::filesystem::path project_;
    std::unique_ptr<QProcess> process_;
    EngineLink* link_ = nullptr;  ///< child of the process
    QString run_, checkpoint_;
    bool serving_ = false;
    QString lastError_;  ///< the last error message of the engine
};

}  // namespace kurve::studio
