#pragma once

#include <QElapsedTimer>
#include <QObject>
#include <QPointer>
#include <QStringList>
#include <QTimer>
#include <map>
#include <string>

#include "app/studio/engine/engine_process.h"
#include "views/common/services/trainings.h"

class QLocalSocket;

namespace kurve::studio {

/// The state of an engine as its supervisor knows it.
///
///   NotRunning -> Starting -> Running <-> Pausing -> Paused -> Running …
///   Starting, Running, Pausing, Paused -> Stopping -> Cancelled
///   any live state -> Completed | Failed | Crashed       the process has ended (and said so, or not)
///   any live state -> LostContact                        it may be running, but does not respond; back to
///   Running if it does
///   any live state -> NotRunning                         the engine that followed another machine has ended
///
/// Completed, Cancelled, Failed and Crashed are final.
enum class RunPhase : unsigned char {
    NotRunning,
    Starting,
    Running,
    Pausing,
    Paused,
    Stopping,
    Completed,
    Cancelled,
    Failed,
    Crashed,
    LostContact,
};
/// The state names of run.db ("running", "lost_contact", …).
[[nodiscard]] const char* phaseName(RunPhase phase);

struct RunProgress {
    qint64 step = 0, total = 0;
    double tokensPerSecond = 0, etaSeconds = -1;
    double plannedSeconds = 0;  ///< the run is planned by time, and `total` is an estimate; else 0
    QString device;             ///< "cpu", "cuda:0"; empty: not known yet
    views::Trainings::Preparation preparation;
    std::map<std::string, double> metrics;
};

/// Owns the conversation with one run's engine: starts it (in a session of its own, so that it outlives the
/// studio) or attaches to a live one through the control socket of the run folder. Never blocks the event
/// loop and never kills on destruction: closing the studio leaves training running.
class RunSupervisor : public QObject {
    Q_OBJECT
public:
    RunSupervisor(QString runId, QString runFolder, QObject* parent = nullptr);

    /// `program arguments…`, in `folder`. A program that cannot be started ends in Failed with the remedy as
    /// reason.
    void start(const QString& program, const QStringList& arguments, const QString& folder);
    /// Before start(), of a run that goes on: the step that is shown until the engine tells one.
    void setStep(qint64 step) { progress_.step = step; }
    /// Before start() or attach(): the device (empty: the engine's choice) and the other machine, as far as
    /// they are known, and how many processes train (--nproc).
    void setPlace(const QString& device, const QString& machine, int processes);
    /// To a live engine that another studio started. Without an answer the phase becomes LostContact and is
    /// retried.
    void attach(qint64 pid);

    void pause();
    void resume();
    /// Escalates: the first call requests a stop (finish the step, checkpoint), the second sends SIGTERM, the
    /// third SIGKILL. Five seconds after a SIGTERM the SIGKILL follows by itself.
    void stop();
    void sampleNow();
    void checkpointNow();
    bool set(const QString& key, const QString& value);
    /// A prompt to the model that trains (InferenceServer's `trace`, `branch`), or its `cancel`. `id` begins
    /// with kQuestion; answered() has all messages with it. False if the engine is not connected.
    bool ask(const std::string& type, nlohmann::json body, const std::string& id);
    static constexpr const char* kQuestion = "prompt-";
    void testOnlySetSilence(int milliseconds) { silenceMilliseconds_ = milliseconds; }

    [[nodiscard]] const QString& runId() const { return runId_; }
    [[nodiscard]] RunPhase phase() const { return phase_; }
    /// What runs here follows a training, which may go on when that ends.
    [[nodiscard]] bool follows() const { return follows_; }
    [[nodiscard]] bool isLive() const;
    /// Why the phase is what it is, with the next action; one sentence, may be empty.
    [[nodiscard]] const QString& reason() const { return reason_; }
    /// Step of the intact checkpoint that the engine's last error offers instead of a damaged one; -1: none.
    [[nodiscard]] qint64 intactCheckpoint() const { return intactCheckpoint_; }
    [[nodiscard]] const RunProgress& progress() const { return progress_; }
    [[nodiscard]] qint64 pid() const { return pid_; }
    /// The other machine that trains it, which the engine here follows; empty: this one, or not known yet.
    [[nodiscard]] const QString& machine() const { return machine_; }
    [[nodiscard]] int processes() const { return processes_; }
    /// LostContact because the line to machine() is broken: since when, seconds since the epoch; else 0.
    [[nodiscard]] double lostSince() const { return lostSince_; }

Q_SIGNALS:
    void phaseChanged();
    void progressed();  ///< at most every 40 ms
    void marked(qint64 step, const QString& kind, const QString& text);
    void alarmed(const QString& text);  ///< an alert rule of the project was met
    /// Messages with the id of a prompt, of this studio or another one.
    void answered(const kurve::wire::Message& message);
    void warned(const QString& text);  ///< warnings and errors of the engine that do not end the run

private:
    void setPhase(RunPhase phase, const QString& reason = {});
    bool send(const std::string& type, nlohmann::json body = nlohmann::json::object(),
              const std::string& id = {});
    void sayHello();
    void warnOfLine(const QString& problem);
    void receive(const wire::Message& message);
    void receiveHello(const wire::Message& message);
    void receiveState(const nlohmann::json& body);
    void receiveProgress(const nlohmann::json& body);
    void receiveTransfer(const nlohmann::json& body);
    void loseMachine(double since);
    void stopFollowing();
    void setPreparation(const QString& text, double fraction);
    /// Of an attached engine, too, whose exit code is unknown: what it said counts.
    void classifyEnd(const EngineEnd& end);
    [[nodiscard]] bool saidEnd() const;
    [[nodiscard]] bool hasCheckpoint() const;
    [[nodiscard]] QString checkpointText() const;  ///< of a run that was killed; a sentence
    [[nodiscard]] QString unfollowedText(const EngineEnd& end) const;  ///< of what followed it
    [[nodiscard]] QString resumeHint() const;                          ///< after a crash; a sentence
    void connectSocket();
    void socketClosed();
    void watchAttached();
    void signalEngine(int number);

    QString runId_, runFolder_;
    RunPhase phase_ = RunPhase::NotRunning, beforeSilence_ = RunPhase::Running;
    qint64 intactCheckpoint_ = -1;
    QString reason_, lastError_, saidState_, saidReason_, machine_;
    int processes_ = 1;
    double lostSince_ = 0;
    RunProgress progress_;
    qint64 pid_ = 0;
    bool mismatch_ = false, attached_ = false, follows_ = false;
    int stopPresses_ = 0;
    quint64 nextId_ = 1;
    EngineProcess process_{EngineProcess::Kind::Training, {}};
    QPointer<QLocalSocket> socket_;
    QPointer<EngineLink> link_;  ///< over the socket
    QTimer coalesce_, watch_, escalate_;
    int silenceMilliseconds_ = 30000;  ///< after which the engine does not respond
    QElapsedTimer silence_;
};

}  // namespace kurve::studio
