#include "core/store/detail/run_entry.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <tuple>

#include "core/base/clock.h"
#include "core/base/json_depth.h"
#include "core/frontier/front_numbers.h"
#include "core/store/detail/process.h"
#include "core/store/evaluations.h"
#include "core/store/run_mirror.h"
#include "core/store/run_reader.h"

namespace kurve::store::detail {
namespace {

using nlohmann::json;

/// 3: with lowest and highest values; 4: with the step of the attempt that a resumed run is at; 5: with the
/// time that it is planned for; 6: with the experiment's name; 7: with its references; 8: with its machine;
/// 9: with the inode of its run.db; 10: with all settings in the names of scores; 11: with their scorers
constexpr const char* kReading = "11;";
constexpr const char* kSweeps = "sweeps:";
constexpr const char* kEvaluations = "evaluations:";
constexpr const char* kCheckpoints = "checkpoints:";

/// The part of a stamp that tells of the sweeps; empty without any.
std::string_view sweepsOf(std::string_view stamp) {
    const auto at = stamp.find(kSweeps);
    return at == std::string_view::npos ? std::string_view() : stamp.substr(at);
}

// Points are read again only when a sweep has written: there may be thousands.
std::map<std::string, double> frontNumbersOf(const std::filesystem::path& folder, std::string_view stamp,
                                             const RunEntry* before) {
    if (sweepsOf(stamp).empty()) return {};
    if (before == nullptr || sweepsOf(before->stamp) != sweepsOf(stamp))
        return frontier::frontNumbersOf(folder);
    std::map<std::string, double> known;
    for (const char* name : {frontier::kFrontArea, frontier::kFrontDistance})
        if (const auto found = before->summary.metrics.find(name); found != before->summary.metrics.end())
            known.insert(*found);
    return known;
}

template <class Number>
Number numberOr(const std::map<std::string, std::string>& values, const char* key, Number fallback) {
    const auto found = values.find(key);
    if (found == values.end()) return fallback;
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), fallback);
    return fallback;
}

std::int64_t bytesIn(const std::filesystem::path& folder) {
    std::int64_t bytes = 0;
    std::error_code code;
    if (std::filesystem::is_symlink(folder, code)) return 0;  // it may lead to a whole disk
    for (std::filesystem::recursive_directory_iterator it(folder, code), end; it != end; it.increment(code)) {
        if (code) break;
        std::error_code gone;  // files come and go while a run is being written
        const auto size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
        if (!gone) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

double writtenAt(const std::filesystem::path& file) {
    struct stat info {};
    return ::stat(file.c_str(), &info) == 0 ? static_cast<double>(info.st_mtim.tv_sec) : 0;
}

/// Of a checkpoint by its folder's name, "step-00000400"; -1 if it names none.
std::int64_t stepOf(const std::string& checkpoint) {
    const auto digits = checkpoint.find_first_of("0123456789");
    std::int64_t step = -1;
    if (digits != std::string::npos)
        std::from_chars(checkpoint.data() + digits, checkpoint.data() + checkpoint.size(), step);
    return step;
}

/// The preset whose values the run began with, from the first lines of its settings as TOML.
std::string presetOf(const std::string& config) {
    constexpr std::string_view kBegin = "preset = \"";
    std::size_t at = 0;
    while (at < config.size() && config[at] != '[') {
        const std::size_t end = std::min(config.find('\n', at), config.size());
        const std::string_view line = std::string_view(config).substr(at, end - at);
        if (line.starts_with(kBegin) && line.ends_with('"'))
            return std::string(line.substr(kBegin.size(), line.size() - kBegin.size() - 1));
        at = end + 1;
    }
    return {};
}

/// A fact of a run, which may be damaged or come from elsewhere: null where it is none.
json parsed(const std::string& text) {
    return jsonDeeperThan(text, 32) ? json() : json::parse(text, nullptr, false);
}

/// From the run key `references`, a list of pins.
std::map<std::string, std::string> referencesOf(const std::string& text) {
    std::map<std::string, std::string> out;
    const json list = parsed(text);
    if (!list.is_array()) return out;
    for (const auto& pin : list) {
        const auto said = textsOf(pin.dump());
        if (!said.empty())
            out[textOr(said, "field")] = textOr(said, "run") + "@" + textOr(said, "checkpoint");
    }
    return out;
}

}  // namespace

std::vector<std::string> listOf(const std::string& text) {
    std::vector<std::string> out;
    const json array = parsed(text);
    if (!array.is_array()) return out;
    for (const auto& value : array)
        if (value.is_string()) out.push_back(value.get<std::string>());
    return out;
}

std::map<std::string, std::string> textsOf(const std::string& text) {
    std::map<std::string, std::string> out;
    const json object = parsed(text);
    if (!object.is_object()) return out;
    for (const auto& [key, value] : object.items())
        out[key] = value.is_string() ? value.get<std::string>() : value.dump();
    return out;
}

std::string textOr(const std::map<std::string, std::string>& values, const char* key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
}

std::string stampOf(const std::filesystem::path& runFolder) {
    std::string stamp;
    for (const char* name : {"run.db", "run.db-wal"}) {
        struct stat info {};
        const bool there = ::stat((runFolder / name).c_str(), &info) == 0;
        if (there && info.st_size > 0)
            stamp += fmt::format("{}:{}.{};", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
        else if (stamp.empty() && !there)
            return errno == ENOENT || errno == ENOTDIR ? "" : std::strerror(errno);
    }
    // The sweeps come last: sweepsOf(). Checkpoints that are fetched change the run's size only.
    for (const auto& [name, mark] :
         {std::pair{"checkpoints", kCheckpoints}, {"evaluations", kEvaluations}, {"sweeps", kSweeps}}) {
        struct stat folder {};
        if (::stat((runFolder / name).c_str(), &folder) == 0)
            stamp += fmt::format("{}{}.{};", mark, folder.st_mtim.tv_sec, folder.st_mtim.tv_nsec);
    }
    return stamp.empty() ? stamp : kReading + stamp;
}

void RunEntry::takeOrigin() {
    summary.parentStep = summary.parent.empty() ? -1 : stepOf(textOr(process, "parent_checkpoint"));
    summary.reproduces = textOr(process, "reproduces");
    summary.experiment = textOr(process, "experiment");
    summary.machine = textOr(process, kMachineKey);
    summary.references = referencesOf(textOr(process, "references"));
    summary.plannedSeconds = numberOr(process, "planned_seconds", 0.0);
}

void RunEntry::touch() {
    static std::atomic<std::uint64_t> last = 0;
    summary.version = ++last;
}

void RunEntry::deriveState(const std::filesystem::path& runFolder) {
    const auto identity = ProcessIdentity::fromValues(process);
    const double heartbeat = numberOr(process, "heartbeat_wall", summary.started);
    const bool silent = wallSeconds() - heartbeat > kLostAfterSeconds;
    const auto state = stateOf(identity, runFolder);
    if (!summary.machine.empty()) {
        // The process is the one that follows the training: whatever became of it, that may go on.
        if (state != ProcessState::Gone && !silent) return;
        summary.state = "lost_contact";
        summary.reason =
            fmt::format("no contact with {} since {}; the training there may go on: kurve follow {}",
                        summary.machine, utcText(heartbeat), summary.id);
    } else if (state == ProcessState::Gone) {
        // After a reboot the device of a disk may have another number.
        const auto here = ProcessIdentity::self(runFolder);
        const bool copied =
            !identity.dbInode.empty() && identity.bootId == here.bootId && identity.dbInode != here.dbInode;
        summary.state = "crashed";
        summary.reason =
            fmt::format("{}process {} {}; last sign of life {}", copied ? "a copy: " : "", identity.pid,
                        copied ? "wrote the original" : "is gone", utcText(heartbeat));
    } else if (state == ProcessState::Unknown && silent) {
        summary.state = "lost_contact";
        summary.reason =
            fmt::format("no sign of life from {} since {}",
                        identity.host.empty() ? "its machine" : identity.host, utcText(heartbeat));
    }
}

bool RunEntry::updateState(const std::filesystem::path& runFolder) {
    const auto before = std::make_pair(summary.state, summary.reason);
    summary.state = runState;
    summary.reason = runReason;
    if (!finished()) deriveState(runFolder);
    const bool other = before != std::make_pair(summary.state, summary.reason);
    if (other) touch();
    return other;
}

bool RunEntry::says(const RunEntry& other) const {
    const auto facts = [](const RunEntry& e) {
        const RunSummary& run = e.summary;
        return std::tie(e.stamp, run.state, run.reason, run.name, run.tags, run.notes, run.starred,
                        run.trashed, run.style);
    };
    return facts(*this) == facts(other);
}

RunEntry readRunEntry(const std::filesystem::path& folder, std::string stamp, const RunEntry* before) {
    RunEntry entry;
    entry.stamp = std::move(stamp);
    RunSummary& run = entry.summary;
    run.id = folder.filename().string();
    run.bytes = bytesIn(folder);
    std::error_code ignored;
    run.bundled = std::filesystem::exists(folder / "BUNDLED", ignored);
    const auto reader = RunReader::open(folder);
    Status status = reader ? Status() : Status(reader.error());
    std::map<std::string, std::string> values;
    if (reader) {
        values = (*reader)->values();
        run.started = numberOr(values, "started", 0.0);
        const bool goesOn = before != nullptr && before->summary.started == run.started;
        run.extremes = std::make_shared<const RunExtremes>(
            (*reader)->extremes(goesOn ? before->summary.extremes.get() : nullptr));
        run.metrics = (*reader)->lastValues();
        run.step = std::max((*reader)->lastStep(), numberOr<std::int64_t>(values, "heartbeat_step", 0));
        status = (*reader)->lastError();
    }
    for (const auto& [name, value] : frontNumbersOf(folder, entry.stamp, before)) run.metrics[name] = value;
    if (entry.stamp.find(kEvaluations) != std::string::npos)
        for (const auto& [name, value] : evaluatedNumbers(folder)) run.metrics[name] = value;
    entry.runName = textOr(values, "name").empty() ? run.id : textOr(values, "name");
    run.family = textOr(values, "family");
    run.task = textOr(values, "task");
    run.parent = textOr(values, "parent");
    run.configHash = textOr(values, "config_hash");
    run.settings = textsOf(textOr(values, "settings"));
    if (const std::string preset = presetOf(textOr(values, "config")); !preset.empty())
        run.settings["preset"] = preset;
    run.totalSteps = numberOr<std::int64_t>(values, "total_steps", 0);
    run.ended = numberOr(values, "ended", 0.0);
    entry.runState = status ? textOr(values, "state") : "damaged";
    entry.runReason = status ? textOr(values, "reason") : status.error().message;
    // Busy, no right to read: it may pass without a change of the files, so no stamp of theirs equals this
    // one.
    if (!status && status.error().code != "store.damaged") entry.stamp += "?";
    if (status && values.empty()) {  // made a moment ago: what it is stands in its first lines, on their way
        entry.runState = "running";
        run.started = writtenAt(folder / "run.db");
    }
    for (const char* key :
         {"pid", "pid_started", "host", "boot_id", "pid_namespace", "db_inode", "heartbeat_wall",
          "parent_checkpoint", "reproduces", "planned_seconds", "experiment", "references", kMachineKey})
        if (values.contains(key)) entry.process[key] = values[key];
    entry.takeOrigin();
    entry.updateState(folder);
    entry.touch();
    return entry;
}

}  // namespace kurve::store::detail
