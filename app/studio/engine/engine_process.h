#pragma once

#include <QObject>
#include <QPointer>
#include <QProcess>
#include <QStringList>

#include "app/studio/engine/engine_link.h"

namespace kurve::studio {

/// How an engine ended.
struct EngineEnd {
    enum class Kind : unsigned char { Done, Stopped, Failed };
    Kind kind = Kind::Done;
    bool crashed = false;
    int code = 0;            ///< its exit code or signal; kNotStarted
    QString why = {};        ///< of Failed: its error with the remedy, else the last line of its log
    QString log = {};        ///< that line
    QByteArray output = {};  ///< of a Call: its answer
    bool stopAsked = false;  ///< by EngineProcess::stop(); also of one that ended by itself first
    static constexpr int kNotStarted = -1;
};

/// A process of the engine `kurve`, one after another: messages, log, and how it is ended. GUI thread, never
/// blocks.
class EngineProcess : public QObject {
    Q_OBJECT
public:
    enum class Kind : unsigned char {
        Call,  ///< answers with a document; deleting this lets it finish, since it may be writing
        Job,   ///< speaks messages (`--events`, `--serve`); ends with this, what is finished is on the disk
        Training,  ///< the same in a session of its own: it goes on without this and without the studio
    };
    /// `program`: the engine; empty: the one that is found when it begins.
    EngineProcess(Kind kind, QString program, QObject* parent = nullptr);
    ~EngineProcess() override;

    void setProgram(const QString& program) { program_ = program; }
    /// In `folder`; empty: the studio's. Contract: not running. Failures come as ended(), after this.
    void begin(const QStringList& arguments, const QString& folder = {});
    /// The same with messages of its progress.
    void beginJob(const QStringList& arguments) {
        begin(arguments + QStringList{QStringLiteral("--events")});
    }
    [[nodiscard]] bool running() const { return process_ != nullptr; }
    [[nodiscard]] qint64 pid() const { return process_ ? process_->processId() : 0; }
    /// False if it is not connected.
    bool send(const std::string& type, nlohmann::json body = nlohmann::json::object(),
              const std::string& id = {});
    /// Asks it to stop (a Call: by SIGTERM); one that does not is ended by SIGTERM, then by SIGKILL.
    void stop();
    /// stop(), and nothing more is told of it: another one may begin.
    void release();
    /// release() at once, by SIGKILL.
    void kill();

Q_SIGNALS:
    void started();
    void received(const kurve::wire::Message& message);
    void broken(const QString& problem);  ///< an invalid line; the stream continues
    void ended(const kurve::studio::EngineEnd& end);

private:
    void listen();
    void readLog();
    void finished(int code, QProcess::ExitStatus how);
    void finish(EngineEnd end);
    QProcess* letGo();

    Kind kind_;
    QString program_;
    QPointer<QProcess> process_;  ///< without a parent, whose end would kill it
    QPointer<EngineLink> link_;   ///< the process's; null: a Call
    QString error_, log_;         ///< its last ones
    bool stopAsked_ = false;
};

}  // namespace kurve::studio
