#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "app/engine/control_link.h"
#include "app/engine/training_job.h"
#include "core/remote/transfer.h"
#include "core/store/run_mirror.h"

namespace kurve::engine {

/// A run that another machine trains, and where its copy lies here.
struct FollowedRun {
    remote::Machine machine;
    std::string project;  ///< remote::projectName()
    std::string run;
    std::filesystem::path folder;
    bool started = false;     ///< or resumed, a moment ago: a connection that breaks at once is no failure
    bool checkpoints = true;  ///< fetch the last and the best one when the training has ended
};

/// Events "transfer" {path, done, total} of bytes, at most four a second and the last one; false when the
/// user has asked to stop.
[[nodiscard]] remote::TransferProgress transferProgress(ControlLink& link);
/// The same while nothing trains: the command `stop` ends the transfer as well, others are refused.
[[nodiscard]] remote::TransferProgress stoppableTransfer(ControlLink& link);

/// What DetachedTraining::outcome() tells of a failure on a machine; none: it did not fail, or is not over.
[[nodiscard]] std::optional<Error> failureThere(const remote::Machine& machine,
                                                const nlohmann::json& outcome);

/// Names of the checkpoints that "last" or "best" means in the run's record, whether their files are here or
/// not; none without any.
[[nodiscard]] std::set<std::string> recordedCheckpoints(const CommonOptions& common,
                                                        const std::filesystem::path& runFolder,
                                                        const std::set<std::string>& which);

/// Stands in for the engine of a training on another machine: copies its run as it grows, passes its events
/// to the link and the link's commands to it. A broken connection is a state: it tries again for as long as
/// it runs. One thread.
class RemoteFollower {
public:
    RemoteFollower(const CommonOptions& common, FollowedRun followed,
                   std::unique_ptr<remote::Connection> connection, ControlLink& link);

    /// Until the training has ended and its files are here; an interrupt stops the training there. Where it
    /// was told to end before, the state is "running". Errors: run.missing (not there), remote.ended, those
    /// of the training's start, io.write and store.* here.
    Result<TrainedRun> run();
    /// Of a resumption that was refused there for a damaged checkpoint: the step of one that is sound.
    [[nodiscard]] std::optional<std::int64_t> intactCheckpoint() const;

private:
    enum class Step : unsigned char { Goes, Ended };
    Result<Step> exchange();
    Result<Step> readRows();
    Status takeRows(const nlohmann::json& answer);
    Status passNotifications(double seconds);
    Status passCommands();
    Status tell(const nlohmann::json& command);
    Status fetchTrace(const std::string& path);
    Status fetchSmall();
    /// The next rows; false if there are none after them.
    Result<bool> readPart();
    Result<Step> finish();
    Status fetchLast();
    void loseContact(const Error& why);
    Error leftThere(Error why);
    void reconnect();
    void refuseCommands(double seconds);
    void emitState(const std::string& state, const std::string& reason, double since = 0);
    void emitOwnState();
    void tellFirstState();
    [[nodiscard]] bool leaves() const;
    [[nodiscard]] bool refused() const;
    [[nodiscard]] std::map<std::string, std::string> own() const;
    [[nodiscard]] std::map<std::string, std::string> values() const;
    [[nodiscard]] Error notThere() const;
    [[nodiscard]] Result<TrainedRun> result() const;
    [[nodiscard]] TrainedRun recorded() const;

    const CommonOptions& common_;
    FollowedRun followed_;
    std::unique_ptr<remote::Connection> connection_;
    ControlLink& link_;
    remote::RunFiles files_;
    std::unique_ptr<store::RunMirror> mirror_;  ///< null before the run is there
    nlohmann::json outcome_;
    std::string remoteFolder_;
    std::size_t segmentsBefore_;  ///< in the copy
    double lostSince_ = 0;        ///< 0: there is contact
    std::string lostBy_;          ///< code of the error that was told last
    double lastListing_ = 0;
    bool alive_ = true, ended_ = false, stopWanted_ = false, stopSent_ = false, stateTold_ = false;
};

}  // namespace kurve::engine
