#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/alerts/alert_watch.h"
#include "core/store/run_writer.h"
#include "core/train/checkpoint.h"
#include "core/train/checkpoint_manager.h"
#include "core/train/evaluation.h"
#include "core/train/inference_server.h"
#include "core/train/run_meters.h"
#include "core/train/session_link.h"
#include "core/train/step_log.h"

namespace kurve::train {

/// What a run did beyond its settings: to train it again bit by bit.
struct Reproduction {
    StepPlan plan;
    std::vector<LiveChange> live;
    std::string dataHash;  ///< of the corpora and settings that it was trained with; empty: not known
};

/// Of a state that does not know its training split's fingerprint, all of its data.
[[nodiscard]] bool sameTrainingData(const TrainingState& from, const text::Dataset& now);

/// What to train and where.
struct SessionRequest {
    const ModelFamily* family = nullptr;
    RunConfig config;
    std::filesystem::path project, runFolder;
    std::string runId, name;
    c10::Device device = c10::kCPU;
    int threads = 1;                                  ///< inside one operation, per replica
    std::map<std::string, std::string> facts;         ///< table run: environment, parent, task, …
    std::optional<std::filesystem::path> checkpoint;  ///< go on from here
    std::int64_t maxSteps = 0;                        ///< total of the run; 0 = the experiment's own limit
    double maxSeconds = 0;                            ///< of this session; 0 = none
    std::optional<Reproduction> reproduces;           ///< with maxSteps: do exactly what another run did
    text::Progress preparation;
    bool force = false;                     ///< also where the memory will not suffice (memory_need.h)
    std::shared_ptr<RunResolver> resolver;  ///< finds the runs that the settings name; null: none can be
    std::shared_ptr<distributed::ProcessGroup> maybeGroup;  ///< this process is its rank 0 (follower.h)
    std::optional<Error> maybeUnusedGpu;                    ///< why the device is not one: a warning
};

struct SessionResult {
    std::string run, state, reason;  ///< state: completed, cancelled or failed
    std::int64_t steps = 0;
    std::map<std::string, double> metrics;  ///< last values
    double seconds = 0;                     ///< of training, all sessions
    double tokensPerSecond = 0;             ///< of this session
    std::string checkpoint;                 ///< folder of the last one
    bool stoppedByUser = false;
    std::optional<Error> failure;
};

/// One attempt at training a run: the loop around Trainer::step() with logging, evaluation, checkpoints and
/// commands. Everything is recorded in the run folder; the link is notified. Used from one thread.
class TrainingSession {
public:
    /// Prepares data and model before the run folder is touched. Errors: those of the data, the config, the
    /// checkpoint, the run's lock.
    static Result<std::unique_ptr<TrainingSession>> begin(SessionRequest request, SessionLink& link);
    ~TrainingSession();

    /// Trains until the limit, a stop or a failure. Errors only where not even the record could be written.
    Result<SessionResult> run();

private:
    TrainingSession(SessionRequest request, SessionLink& link, std::shared_ptr<text::Dataset> data);
    Status prepare();
    void extend();
    Status prepareVectors();
    Status shareWithRanks();
    Status resumeFrom(const std::filesystem::path& checkpoint);
    void noteInexact(const TrainingState& from);
    Status record();

    void loop();
    bool stepOnce();  // false: its update was left out
    StepReport stepWith(const std::vector<text::Batch>& batches, bool measureUpdate);
    void logPoint(StepLog& log);
    void evaluate(StepLog& log);
    Result<EvaluationReport> evaluation(StepLog& log);
    bool logIsDue() const;
    bool evaluationIsDue() const;
    bool saveIsDue() const;
    void warnOfNoMetric();
    void saveIfDue();
    void save();
    void heartbeat();
    void progress();
    void notice(const std::string& kind, const std::string& text);
    void warn(const std::string& kind, const Error& what);
    void onWriteError(const Error& error);
    [[nodiscard]] bool finished();
    void finish();
    void saveAfterFailure();
    void finishRecord();
    void finalEvaluation();
    void updateTime();

    void handleCommands(double waitSeconds);
    void handle(const wire::Message& command);
    void answer(const wire::Message& request);
    void setLive(const wire::Message& command);
    void pin(const wire::Message& command);
    void pause(const std::string& reason);
    void resume();
    void setState(const std::string& state, const std::string& reason);
    bool wasNotFinite();
    /// A step that was not finite, if there is one; log_ has the steps up to `logged`.
    std::optional<Trainer::NonFinite> leaveOutNonFinite(std::int64_t logged);
    void onNonFinite(std::int64_t step, const std::string& tensor);
    Status makeAlerts();
    void checkAlerts(const std::map<std::string, double>& metrics);
    void watchDisk();
    void act(const alerts::Alarm& alarm);
    Status change(const std::string& key, const std::string& value);
    void replayChanges();
    void fail(Error error);

    [[nodiscard]] std::int64_t limit() const;
    [[nodiscard]] bool plannedByTime() const;
    [[nodiscard]] double plannedSeconds() const;  ///< of a run planned by time; else 0
    [[nodiscard]] double timeLimit() const;       ///< seconds of the whole run; 0: none
    [[nodiscard]] bool timeLimitReached() const;
    [[nodiscard]] TrainingState state(double metric) const;
    [[nodiscard]] double metricNow() const;  ///< checkpoint.metric of these weights; NaN: not evaluated
    [[nodiscard]] std::string deviceKind() const;
    [[nodiscard]] TraceOrigin origin() const;

    SessionRequest request_;
    SessionLink& link_;
    RunConfig config_;  // with live changes
    std::shared_ptr<text::Dataset> data_;
    std::unique_ptr<Trainer> trainer_;
    std::unique_ptr<text::BatchStream> batches_;
    std::unique_ptr<store::RunWriter> writer_;
    std::unique_ptr<CheckpointManager> checkpoints_;
    std::unique_ptr<Evaluator> evaluator_;
    std::unique_ptr<InferenceServer> server_;
    std::unique_ptr<RunMeters> meters_;

    StepPlan plan_;
    std::vector<LiveChange> live_;
    StepLog log_;
    alerts::AlertWatch alerts_;
    bool reportedNonFinite_ = false;    // as an alert, in this session
    bool lengthened_ = false;           // resumed to go beyond what was planned
    std::int64_t extendedTo_ = 0;       // TrainingState::extendedTo
    std::size_t replayed_ = 0;          // changes of request_.reproduces that were applied
    double lastDisk_ = 0;               // on the steady clock
    std::vector<std::string> inexact_;  // why the run is no longer bit-identical to one without a stop
    SessionResult result_;
    std::string state_ = "running", reason_;
    bool paused_ = false, stopping_ = false;
    bool interrupted_ = false;                          // the loop was left by an exception
    bool changedSinceSave_ = false;                     // a setting that affects the result
    bool savePending_ = false, recordFailing_ = false;  // a checkpoint, run.db could not be written
    int mostRanks_ = 1;                                 // of the sessions before
    std::int64_t tokens_ = 0;                           // target tokens of the run, all sessions
    std::int64_t sessionTokens_ = 0, sessionSteps_ = 0, evaluatedAt_ = -1, savedAt_ = -1;
    double seconds_ = 0, sessionSeconds_ = 0, lastTick_ = 0;  // training time: of the run, of this session
    double lastWall_ = 0;                                     // at lastTick_, on the wall clock
    double lastEvaluation_ = 0, lastSave_ = 0;                // in seconds_
    double lastHeartbeat_ = 0, lastProgress_ = 0;             // on the steady clock
    double lastMetric_ = std::numeric_limits<double>::quiet_NaN();
    bool metricMissing_ = false;  ///< an evaluation had no checkpoint.metric
    double savedMetric_ = std::numeric_limits<double>::quiet_NaN();  // of the checkpoint of savedAt_
};

/// Reads the settings of one family, whatever is asked for.
[[nodiscard]] SchemaLookup schemaOnly(const ModelFamily& family);

/// Where training goes on behind `from`: at its position in the data, or where the batches of `config` and
/// `data` are others with a new epoch. Errors: those of the settings of `from`.
Result<text::BatchStream::Position> nextBatch(const TrainingState& from, const RunConfig& config,
                                              const text::Dataset& data, const SchemaLookup& schemas);

/// Makes the run of `request` with one checkpoint: the tensors of `from` under the new settings. The plan,
/// the data position (nextBatch()) and the step count go on. Errors: checkpoint.*, store.*.
Status forkCheckpoint(const SessionRequest& request, const std::filesystem::path& from,
                      const TrainingState& state);

}  // namespace kurve::train
