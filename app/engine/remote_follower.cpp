#include "app/engine/remote_follower.h"

#include <algorithm>
#include <thread>

#include "app/engine/output.h"
#include "app/engine/run_access.h"
#include "core/base/clock.h"
#include "core/remote/base64.h"
#include "core/store/run_reader.h"
#include "core/train/checkpoint_manager.h"
#include "core/wire/fields.h"

namespace kurve::engine {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using wire::Fields;

constexpr double kExchangeSeconds = 0.5, kListingSeconds = 3, kFetchSeconds = 2;
constexpr double kFirstRetry = 1, kLastRetry = 30;
constexpr std::uint64_t kSmallBytes = 32 << 20;  // larger files follow when the training has ended

std::string valueOf(const std::map<std::string, std::string>& values, const char* key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
}

bool isEnd(const std::string& state) {
    return state == "completed" || state == "cancelled" || state == "failed";
}

/// In the order in which they were saved.
std::vector<store::CheckpointRow> savedCheckpoints(const store::RunReader& reader) {
    auto rows = reader.checkpoints();
    std::ranges::sort(rows, {}, &store::CheckpointRow::saved);
    return rows;
}

std::size_t segmentsIn(const fs::path& folder) {
    const auto reader = store::RunReader::open(folder);
    return reader ? (*reader)->segments().size() : 0;
}

/// Paths of the other machine's run folder become those of its copy.
void renamePaths(json& body, const std::string& there, const std::string& here) {
    for (auto& [key, value] : body.items())
        if (value.is_string() && value.get_ref<const std::string&>().starts_with(there + "/"))
            value = here + value.get_ref<const std::string&>().substr(there.size());
}

}  // namespace

remote::TransferProgress transferProgress(ControlLink& link) {
    return [&link, last = 0.0](const std::string& path, std::uint64_t done, std::uint64_t total) mutable {
        if (done >= total || steadySeconds() > last + 0.25) {
            last = steadySeconds();
            link.emit(train::event("transfer", {{"path", path}, {"done", done}, {"total", total}}));
        }
        return link.stopReason().empty();
    };
}

remote::TransferProgress stoppableTransfer(ControlLink& link) {
    return [&link, show = transferProgress(link), stopped = false](
               const std::string& path, std::uint64_t done, std::uint64_t total) mutable {
        for (const auto& command : link.commands(0)) {
            stopped = stopped || command.type == "stop";
            if (command.type != "stop")
                link.emit(train::errorEvent(
                    workError("wire.no_engine", "no training answers: files are being transferred")
                        .fix("try again when they have arrived"),
                    command.id));
        }
        return show(path, done, total) && !stopped;
    };
}

std::set<std::string> recordedCheckpoints(const CommonOptions& common, const fs::path& runFolder,
                                          const std::set<std::string>& which) {
    std::set<std::string> names;
    const auto reader = store::RunReader::open(runFolder);
    const auto run = openRun(common, runFolder.string());
    if (!reader || !run) return names;
    const auto rows = savedCheckpoints(**reader);
    if (rows.empty()) return names;
    if (which.contains("last")) names.insert(rows.back().path.text());
    const auto order = train::RetentionPolicy::of(run->config).bestFirst(rows);
    if (which.contains("best")) names.insert((order.empty() ? rows.back() : rows[order.front()]).path.text());
    return names;
}

std::optional<Error> failureThere(const remote::Machine& machine, const json& outcome) {
    if (!outcome.is_object() || !outcome.contains("error")) return std::nullopt;
    Error said = wire::errorIn(outcome["error"], workError("remote.ended", "the training ended"));
    said.message = machine.name + ": " + said.message;
    return said;
}

RemoteFollower::RemoteFollower(const CommonOptions& common, FollowedRun followed,
                               std::unique_ptr<remote::Connection> connection, ControlLink& link)
    : common_(common),
      followed_(std::move(followed)),
      connection_(std::move(connection)),
      link_(link),
      files_(followed_.run, followed_.folder),
      remoteFolder_(Fields(connection_->hello()).text("folder") + "/runs/" + followed_.run),
      segmentsBefore_(segmentsIn(followed_.folder)) {}

std::optional<std::int64_t> RemoteFollower::intactCheckpoint() const {
    const Fields said(outcome_);
    const auto step = said.object("error").integer<std::int64_t>("checkpoint", -1);
    return step < 0 ? std::nullopt : std::optional(step);
}

/// A resumption that failed before it wrote anything: the run is as it was.
bool RemoteFollower::refused() const {
    return followed_.started && segmentsBefore_ > 0 && failureThere(followed_.machine, outcome_) &&
           segmentsIn(followed_.folder) == segmentsBefore_;
}

Result<TrainedRun> RemoteFollower::run() {
    bool hadContact = followed_.started;
    while (!leaves()) {
        const auto step = exchange();
        if (step && *step == Step::Ended) return result();
        if (!step && connection_->isBroken() && hadContact) {
            loseContact(step.error());
            reconnect();
        } else if (!step) {
            // Another process here or there has the database or a file.
            const bool passes = step.error().code == "store.busy" || step.error().code == "remote.busy";
            if (!passes)
                return alive_ && (mirror_ || followed_.started) ? leftThere(step.error()) : step.error();
            logLine("kurve: " + step.error().text());
            std::this_thread::sleep_for(std::chrono::duration<double>(kExchangeSeconds));
        }
        hadContact = true;
    }
    TrainedRun left = recorded();
    left.state = "running";
    left.reason = fmt::format("the training on {} {}: kurve follow {}", followed_.machine.name,
                              stopSent_ ? "was told to stop" : "goes on", followed_.run);
    left.stoppedByUser = true;
    return left;
}

/// Its copy here fails, as on a full disk: the training there may go on, which is no failure of it.
Error RemoteFollower::leftThere(Error why) {
    emitState("lost_contact",
              fmt::format("the training on {} may go on; nothing follows it here: {}", followed_.machine.name,
                          why.message),
              wallSeconds());
    why.remedy += fmt::format("{}the training on {} may go on; kurve follow {} --machine {} copies it again",
                              why.remedy.empty() ? "" : "; ", followed_.machine.name, followed_.run,
                              followed_.machine.name);
    return why;
}

/// An interrupt stops the training there, if that can be told; then its end is waited for. Any other signal
/// ends this process alone.
bool RemoteFollower::leaves() const {
    const std::string reason = link_.stopReason();
    return !reason.empty() && (reason != "interrupted" || (!connection_ && !stopSent_));
}

Result<RemoteFollower::Step> RemoteFollower::exchange() {
    KURVE_TRY(const Step step, readRows());
    if (step == Step::Ended) return step;
    if ((stopWanted_ || link_.stopReason() == "interrupted") && !stopSent_) {
        const Status told = tell({{"type", "stop"}});
        if (!told && told.error().code != "wire.no_engine") return told.error();  // it is still loading
        stopSent_ = told.has_value();
    }
    if (mirror_ && !leaves() && steadySeconds() > lastListing_ + kListingSeconds) KURVE_CHECKED(fetchSmall());
    const double end = steadySeconds() + kExchangeSeconds;
    while (steadySeconds() < end && link_.stopReason() != "terminated") {
        KURVE_CHECKED(passNotifications(0.05));
        KURVE_CHECKED(passCommands());
    }
    return step;
}

Result<bool> RemoteFollower::readPart() {
    json cursor;
    if (mirror_) {
        KURVE_TRY(cursor, mirror_->cursor());
    }
    KURVE_TRY(const auto answer, connection_->ask("changes", {{"run", followed_.run}, {"cursor", cursor}}));
    const Fields said(answer.body);
    outcome_ = answer.body.value("outcome", json());
    alive_ = said.flag("alive");
    ended_ = ended_ && !alive_;
    if (said.flag("exists")) {
        KURVE_CHECKED(takeRows(answer.body));
        return !said.flag("complete", true);
    }
    if (alive_) return false;
    const Error why = notThere();
    emitState("failed", why.message);  // nothing goes on there
    return why;
}

Result<RemoteFollower::Step> RemoteFollower::readRows() {
    for (bool more = true; more && !leaves();) {
        KURVE_TRY(more, readPart());
    }
    if (alive_ || leaves()) return Step::Goes;
    return finish();
}

Error RemoteFollower::notThere() const {
    if (const auto failure = failureThere(followed_.machine, outcome_)) return *failure;
    if (followed_.started && !mirror_)
        return workError("remote.start",
                         followed_.machine.name +
                             " has not started the training: the connection broke before it was told")
            .fix("try again");
    return requestError("run.missing",
                        fmt::format("{} has no run \"{}\"", followed_.machine.name, followed_.run))
        .fix("kurve machines runs " + followed_.machine.name +
             " lists them; of a project that was moved or renamed, name its folder there: folder = in "
             "machines.toml");
}

Status RemoteFollower::takeRows(const json& answer) {
    const bool first = !mirror_;
    if (first) {
        KURVE_TRY(mirror_, store::RunMirror::open(followed_.folder, followed_.machine.name));
    }
    store::RunChanges changes;
    KURVE_TRY(changes.database, remote::fromBase64(Fields(answer).text("database")));
    changes.cursor = answer.value("cursor", json());
    KURVE_CHECKED(mirror_->apply(changes, own()));
    if (changes.cursor.is_object() && changes.cursor.contains("traces")) lastListing_ = 0;  // their files
    if (!stateTold_) tellFirstState();
    if (!first) return {};
    if (const Status listening = link_.listen(followed_.folder); !listening)
        link_.emit(train::event("warning",
                                {{"code", listening.error().code}, {"message", listening.error().text()}}));
    return {};
}

std::map<std::string, std::string> RemoteFollower::own() const {
    if (ended_) return {};
    return mirror_->following();
}

std::map<std::string, std::string> RemoteFollower::values() const {
    const auto reader = store::RunReader::open(followed_.folder);
    return reader ? (*reader)->values() : std::map<std::string, std::string>();
}

void RemoteFollower::emitState(const std::string& state, const std::string& reason, double since) {
    json body{{"state", state},
              {"reason", reason},
              {"step", recorded().steps},
              {"machine", followed_.machine.name}};
    if (since > 0) body["since"] = since;
    link_.emit(train::event("state", std::move(body)));
}

void RemoteFollower::emitOwnState() {
    const auto known = values();
    const std::string state = valueOf(known, "state");
    emitState(state.empty() ? "running" : state, valueOf(known, "reason"));
}

/// Of a run that is being resumed not how it ended before; nor of one whose resumption was refused.
void RemoteFollower::tellFirstState() {
    if ((alive_ && isEnd(valueOf(values(), "state"))) || refused()) return;
    stateTold_ = true;
    emitOwnState();
}

Status RemoteFollower::passNotifications(double seconds) {
    for (auto& message : connection_->notifications(seconds)) {
        if (message.type != "engine" || !message.body.contains("event")) continue;
        json body = message.body["event"];
        if (!body.is_object()) continue;
        const std::string type = Fields(body).text("type"), id = Fields(body).text("id");
        if (type == "hello") continue;  // its process is none that could be signalled here
        body.erase("type");
        body.erase("id");
        renamePaths(body, remoteFolder_, followed_.folder.string());
        if (type == "traced" && mirror_) KURVE_CHECKED(fetchTrace(Fields(body).text("trace")));
        if (type == "state") body["machine"] = followed_.machine.name;
        link_.emit(train::event(type, std::move(body), id));
    }
    return {};
}

Status RemoteFollower::passCommands() {
    for (auto& command : link_.commands(0.05)) {
        json body = command.body;
        body["type"] = command.type;
        if (!command.id.empty()) body["id"] = command.id;
        const Status told = tell(body);
        if (told) {
            stopSent_ = stopSent_ || command.type == "stop";
            continue;
        }
        if (command.type == "stop" && told.error().code == "wire.no_engine") {
            stopWanted_ = true;  // it is still loading
            continue;
        }
        link_.emit(train::errorEvent(told.error(), command.id));
        if (connection_->isBroken()) return told;
    }
    return {};
}

Status RemoteFollower::tell(const json& command) {
    KURVE_TRY(const auto answer, connection_->ask("tell", {{"run", followed_.run}, {"command", command}}));
    return {};
}

/// One that was asked for, of any size: its reader waits for it.
Status RemoteFollower::fetchTrace(const std::string& path) {
    KURVE_TRY(auto files, files_.missing(*connection_));
    std::erase_if(files, [&](const remote::FileEntry& file) { return file.path != path; });
    const Status fetched = files_.fetch(*connection_, files, [&](const auto&, auto, auto) {
        (void)mirror_->apply({}, own());  // a sign of life; its error comes again
        return link_.stopReason().empty();
    });
    return !fetched && fetched.error().code == "cancelled" ? Status() : fetched;
}

/// A part at once: signs of life and commands come in between.
Status RemoteFollower::fetchSmall() {
    lastListing_ = steadySeconds();
    KURVE_TRY(auto files, files_.missing(*connection_));
    std::erase_if(files, [](const remote::FileEntry& file) {
        return file.bytes > kSmallBytes || !remote::RunFiles::checkpointOf(file.path).empty();
    });
    const double end = steadySeconds() + kFetchSeconds;
    const Status fetched = files_.fetch(*connection_, files, [&](const auto&, auto, auto) {
        return steadySeconds() < end && link_.stopReason() != "terminated";
    });
    if (fetched || fetched.error().code != "cancelled") return fetched;
    lastListing_ = 0;  // there are more
    return {};
}

/// The rows are compared and the run's own facts put in place of those of this process; then the files. It
/// goes on where the run is resumed there meanwhile.
Result<RemoteFollower::Step> RemoteFollower::finish() {
    constexpr int kRounds = 10;  // of a run that somebody there still writes into
    ended_ = true;
    for (int round = 0;; ++round) {
        KURVE_TRY(const auto digests, connection_->ask("digests", {{"run", followed_.run}}, 600));
        KURVE_TRY(const bool others, mirror_->dropOthers(digests.body.value("digests", json())));
        if (!others) break;
        if (round == kRounds)
            return workError("remote.damaged", "the rows do not arrive as they are there").fix("try again");
        for (bool more = true; more;) {
            KURVE_TRY(more, readPart());
            if (alive_ || leaves()) return Step::Goes;
        }
    }
    KURVE_CHECKED(passNotifications(0));
    const bool asBefore = refused();
    if (!asBefore) KURVE_CHECKED(fetchLast());
    if (!isEnd(valueOf(values(), "state")))
        KURVE_CHECKED(mirror_->apply(
            {}, {{"state", "crashed"}, {"reason", "its process on " + followed_.machine.name + " is gone"}}));
    if (!asBefore) emitOwnState();
    return Step::Ended;
}

/// All but checkpoints that nobody asked for.
Status RemoteFollower::fetchLast() {
    std::set<std::string> checkpoints;
    if (followed_.checkpoints) checkpoints = recordedCheckpoints(common_, followed_.folder, {"last", "best"});
    const auto wanted = [&](const std::string& path) {
        const std::string checkpoint = remote::RunFiles::checkpointOf(path);
        return checkpoint.empty() || checkpoints.contains(checkpoint);
    };
    const auto emitted = transferProgress(link_);
    // An interrupt has stopped the training; its files are wanted.
    KURVE_CHECKED(files_.fetchAll(*connection_, wanted,
                                  [&](const std::string& path, std::uint64_t done, std::uint64_t total) {
                                      (void)emitted(path, done, total);
                                      return link_.stopReason() != "terminated";
                                  }));
    return {};
}

void RemoteFollower::loseContact(const Error& why) {
    connection_.reset();
    if (lostSince_ == 0) lostSince_ = wallSeconds();
    lostBy_ = why.code;
    const std::string reason = fmt::format("no contact with {} since {}: {}; the training there may go on",
                                           followed_.machine.name, utcText(lostSince_), why.text());
    logLine("kurve: " + reason);
    emitState("lost_contact", reason, lostSince_);
}

void RemoteFollower::refuseCommands(double seconds) {
    for (const double end = steadySeconds() + seconds; steadySeconds() < end && !leaves();)
        for (const auto& command : link_.commands(0.1))
            link_.emit(train::errorEvent(
                workError("remote.connection", "there is no contact with " + followed_.machine.name)
                    .fix("try again when there is"),
                command.id));
}

void RemoteFollower::reconnect() {
    for (double wait = kFirstRetry; !connection_ && !leaves(); wait = std::min(2 * wait, kLastRetry)) {
        refuseCommands(wait);
        if (leaves()) return;
        if (auto connection = remote::Connection::open(followed_.machine, followed_.project))
            connection_ = std::move(*connection);
        else if (connection.error().code != lostBy_)
            loseContact(connection.error());
    }
    if (!connection_) return;
    lostSince_ = 0;
    logLine("kurve: in contact with " + followed_.machine.name + " again");
    if (mirror_) emitOwnState();
}

TrainedRun RemoteFollower::recorded() const {
    TrainedRun run;
    run.run = followed_.run;
    const auto reader = store::RunReader::open(followed_.folder);
    if (!reader) return run;
    const auto values = (*reader)->values();
    run.state = valueOf(values, "state");
    run.reason = valueOf(values, "reason");
    run.steps = std::max<std::int64_t>((*reader)->lastStep(),
                                       std::strtoll(valueOf(values, "heartbeat_step").c_str(), nullptr, 10));
    run.metrics = (*reader)->lastValues();
    const auto rows = savedCheckpoints(**reader);
    if (!rows.empty()) run.checkpoint = (followed_.folder / rows.back().path.text()).string();
    run.seconds = std::strtod(valueOf(values, "seconds").c_str(), nullptr);
    run.stoppedByUser = run.state == "cancelled";
    return run;
}

Result<TrainedRun> RemoteFollower::result() const {
    TrainedRun run = recorded();
    const Fields said(outcome_);
    const bool well = run.state == "completed" || run.state == "cancelled";
    // One that was to be resumed, but was not, has ended well before.
    if (!well || followed_.started) run.failure = failureThere(followed_.machine, outcome_);
    if (!well && !run.failure)
        run.failure =
            workError("remote.ended", "the training ended: " + run.state + ", " + run.reason)
                .fix("what it wrote is here; kurve resume " + followed_.run + " continues it there");
    run.tokensPerSecond = said.number("tokens_per_second");
    return run;
}

}  // namespace kurve::engine
