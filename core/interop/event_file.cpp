#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "core/base/file.h"
#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/interop/detail/crc32c.h"
#include "core/interop/detail/event_decoder.h"
#include "core/interop/detail/proto_reader.h"
#include "core/interop/scalar_log.h"

namespace kurve::interop {
namespace {

namespace fs = std::filesystem;
using detail::DecodedEvent;
using detail::EventValue;
using detail::ProtoReader;

constexpr const char* kScalars = "scalars";

/// Cuts a file into records: length u64, its checksum u32, the data, its checksum u32.
class Records {
public:
    /// BadData: the record's length is right, so that the next one can be read. BadLength: where that begins
    /// is not known.
    enum class Outcome : std::uint8_t { Record, End, CutOff, BadData, BadLength };

    explicit Records(std::string_view bytes) : bytes_(bytes) {}

    Outcome next(std::string_view& payload) {
        start_ = at_;
        std::string_view rest = bytes_.substr(at_);
        if (rest.empty()) return Outcome::End;
        ++number_;
        const std::string_view lengthBytes = rest.substr(0, 8);
        std::uint64_t length = 0, sum = 0;
        if (!ProtoReader::takeFixed(rest, 8, length) || !ProtoReader::takeFixed(rest, 4, sum))
            return Outcome::CutOff;
        if (sum != detail::maskedCrc32c(lengthBytes)) return Outcome::BadLength;
        if (length > rest.size()) return Outcome::CutOff;
        payload = rest.substr(0, length);
        rest.remove_prefix(length);
        if (!ProtoReader::takeFixed(rest, 4, sum)) return Outcome::CutOff;
        at_ = bytes_.size() - rest.size();
        return sum == detail::maskedCrc32c(payload) ? Outcome::Record : Outcome::BadData;
    }
    [[nodiscard]] std::size_t start() const { return start_; }  ///< offset of the current record
    [[nodiscard]] int number() const { return number_; }        ///< of that record, from 1

private:
    std::string_view bytes_;
    std::size_t at_ = 0, start_ = 0;
    int number_ = 0;
};

/// The event files of one run, one after the other.
class EventRun {
public:
    EventRun(std::string name, const ReadOptions& options) : options_(options) {
        log_.name = std::move(name);
    }

    Status add(const fs::path& file, const std::string& name) {
        KURVE_TRY(const std::string bytes, readFile(file, kCorpusBytes));
        log_.files[name] = sha256(bytes);
        file_ = file.string();
        name_ = name;
        scalarsOfFile_ = 0;
        judged_ = log_.points() == 0;
        before_ = log_.wallRange().second;
        const Status status = addRecords(bytes);
        takeHeld();
        return status;
    }

    ScalarLog finish() && {
        std::int64_t all = 0;
        std::vector<std::string> kinds;
        for (const auto& [kind, count] : leftOut_) {
            all += count;
            kinds.push_back(fmt::format("{} {}", count, kind));
        }
        if (all > 0) log_.notes.push_back(fmt::format("left out non-scalar values: {}", join(kinds, ", ")));
        log_.sort();
        return std::move(log_);
    }

private:
    Status addRecords(std::string_view bytes) {
        Records records(bytes);
        std::string_view payload;
        while (true) {
            const auto outcome = records.next(payload);
            if (outcome == Records::Outcome::End) return {};
            const std::string where = fmt::format("record {} at byte {}", records.number(), records.start());
            if (outcome == Records::Outcome::CutOff) {
                note(where + " is cut off; read up to there");
                return {};
            }
            if (outcome == Records::Outcome::Record) {
                const auto status = addRecord(payload, where);
                if (status) continue;
                if (!options_.skipBad) return status;
                note(where + " is damaged; left out");
                continue;
            }
            const bool isLength = outcome == Records::Outcome::BadLength;
            if (!options_.skipBad)
                return workError("import.crc", where + " has a wrong checksum")
                    .in(file_)
                    .fix(isLength ? "copy the file again, or read the records before it with --skip-bad"
                                  : "copy the file again, or skip such records with --skip-bad");
            note(where + " has a wrong checksum; " + (isLength ? "read up to there" : "left out"));
            if (isLength) return {};
        }
    }

    void note(const std::string& text) { log_.notes.push_back(name_ + ": " + text); }

    Status addRecord(std::string_view payload, const std::string& where) {
        const auto event = detail::decodeEvent(payload);
        const auto isBroken = [](const EventValue& value) { return firstInvalidUtf8(value.tag).has_value(); };
        if (!event || std::any_of(event->values.begin(), event->values.end(), isBroken))
            return workError("import.record", where + " is not an event")
                .in(file_)
                .fix("copy the file again, or skip such records with --skip-bad");
        if (event->sessionStart) beginAttempt(event->step);
        for (const EventValue& value : event->values) addValue(*event, value);
        return {};
    }

    /// A program that restarts from a checkpoint says so, and what it logged behind that step is logged
    /// again. The first such word in a file that already has points only comes late: threads of the writer.
    void beginAttempt(std::int64_t step) {
        const bool isRestart = startSeen_ || scalarsOfFile_ == 0;
        startSeen_ = true;
        takeHeld();
        judged_ = true;
        if (!isRestart || !log_.hasPointFrom(step)) return;
        log_.attempts.push_back({step, {}});
    }

    void addValue(const DecodedEvent& event, const EventValue& value) {
        std::string tag(value.tag);
        std::string& plugin = plugins_[tag];  // only the first value of a tag need name its plug-in
        if (plugin.empty()) plugin = value.plugin;
        const auto number = value.simple ? value.simple : plugin == kScalars ? value.element : std::nullopt;
        if (!number) {
            ++leftOut_[plugin.empty() || plugin == kScalars ? std::string(value.kind) : plugin];
            return;
        }
        ++scalarsOfFile_;
        if (judged_) return log_.add(tag, event.step, event.wall, *number);
        held_.push_back({tag, event.step, event.wall, *number});
        if (log_.hasPointFrom(std::numeric_limits<std::int64_t>::min(), tag)) checkFile();
    }

    /// PyTorch's writers do not mark a restart: a file that begins after the others ended, with a step
    /// that one of its curves has behind it already, is one. Until a curve is known nobody can tell.
    void checkFile() {
        judged_ = true;
        std::int64_t first = held_.front().step;
        for (const Held& one : held_) first = std::min(first, one.step);
        if (held_.front().wall > before_ && log_.hasPointFrom(first, held_.back().tag)) {
            log_.attempts.push_back({first, {}});
            note(fmt::format("begins again at step {}: a restart", first));
        }
        takeHeld();
    }

    void takeHeld() {
        for (const Held& one : held_) log_.add(one.tag, one.step, one.wall, one.value);
        held_.clear();
    }

    struct Held {
        std::string tag;
        std::int64_t step = 0;
        double wall = 0, value = 0;
    };

    ReadOptions options_;
    ScalarLog log_;
    std::string file_, name_;
    std::vector<Held> held_;  ///< of a file of which it is not known whether it is a restart
    bool judged_ = true;
    double before_ = 0;  ///< the time of the newest point of the files before
    std::map<std::string, std::string> plugins_;
    std::map<std::string, std::int64_t> leftOut_;
    std::int64_t scalarsOfFile_ = 0;
    bool startSeen_ = false;
};

/// Folders below `root` that hold event files, with the files in the order of their names.
Result<std::map<fs::path, std::vector<fs::path>>> eventFolders(const fs::path& root) {
    std::map<fs::path, std::vector<fs::path>> folders;
    std::error_code problem;
    for (fs::recursive_directory_iterator at(root, problem), end; !problem && at != end;
         at.increment(problem)) {
        std::error_code gone;
        if (at->is_regular_file(gone) && at->path().filename().string().find("tfevents") != std::string::npos)
            folders[at->path().parent_path()].push_back(at->path());
    }
    if (problem)
        return workError("io.open", "cannot list the folder: " + problem.message()).in(root.string());
    for (auto& [folder, files] : folders) std::sort(files.begin(), files.end());
    return folders;
}

Error noScalars(const fs::path& source, bool anyFile) {
    if (anyFile)
        return requestError("import.empty", "no scalars")
            .in(source.string())
            .fix("a training writes them from its first logged step on");
    return requestError("import.empty", "no event files")
        .in(source.string())
        .fix("their names have \"tfevents\" in them; import CSV and JSONL files one by one");
}

}  // namespace

Result<std::vector<ScalarLog>> readEventFiles(const fs::path& source, const ReadOptions& options) {
    std::error_code ignored;
    std::map<fs::path, std::vector<fs::path>> folders;
    const bool isFolder = fs::is_directory(source, ignored);
    if (isFolder) {
        KURVE_TRY(folders, eventFolders(source));
    } else {
        folders[source.parent_path()] = {source};
    }
    std::vector<ScalarLog> logs;
    std::vector<std::string> empty;
    for (const auto& [folder, files] : folders) {
        const std::string name = isFolder ? folder.lexically_relative(source).generic_string() : "";
        EventRun run(name == "." ? "" : name, options);
        for (const auto& file : files)
            KURVE_CHECKED(run.add(file, isFolder ? file.lexically_relative(source).generic_string()
                                                 : file.filename().string()));
        ScalarLog log = std::move(run).finish();
        if (log.points() > 0)
            logs.push_back(std::move(log));
        else
            empty.push_back(name);
    }
    if (logs.empty()) return noScalars(source, !folders.empty());
    for (const auto& name : empty) logs.front().notes.push_back(name + " has no scalars; left out");
    return logs;
}

}  // namespace kurve::interop
