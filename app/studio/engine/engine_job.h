#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <memory>

#include "core/wire/message.h"

namespace kurve::studio {

class EngineLink;

/// How an engine's job ended.
struct JobEnd {
    enum class Kind : unsigned char { Done, Stopped, Failed };
    Kind kind = Kind::Done;
    bool crashed = false;
    QString why;  ///< of Failed: the error of the engine, with its remedy
};

/// One `kurve … --events` at a time whose finished work survives a stop. Stopped by "stop", then SIGTERM,
/// then SIGKILL. GUI thread, never blocks.
class EngineJob : public QObject {
    Q_OBJECT
public:
    EngineJob(QString program, QObject* parent);
    ~EngineJob() override;

    [[nodiscard]] bool running() const { return process_ != nullptr; }
    /// Contract: not running. `words` without --events. Failures come as ended().
    void start(const QStringList& words);
    void stop();

Q_SIGNALS:
    void received(const kurve::wire::Message& message);
    void ended(const kurve::studio::JobEnd& end);

private:
    void listen();
    void finished(int code, QProcess::ExitStatus how);
    void finish(const JobEnd& end);

    QString program_, lastWords_;
    std::unique_ptr<QProcess> process_;
    EngineLink* link_ = nullptr;  ///< child of the process
};

}  // namespace kurve::studio
