#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/clock.h"
#include "core/store/detail/process.h"
#include "core/store/detail/sqlite.h"
#include "core/store/project.h"
#include "core/store/run_reader.h"

namespace kurve::store {
namespace {

using detail::Database;
using detail::ProcessState;
using detail::SqliteFailure;
using detail::Statement;
using nlohmann::json;

constexpr double kLostAfterSeconds = 30;

/// Table runs: what was read from runs/<id>/run.db, to be dropped at will. Table marks: what people said.
const std::string kSchema[] = {R"(
CREATE TABLE runs(id TEXT PRIMARY KEY, stamp TEXT NOT NULL, name TEXT, family TEXT, state TEXT, reason TEXT, task TEXT,
                  step INTEGER, total_steps INTEGER, started REAL, ended REAL, parent TEXT, config_hash TEXT,
                  bytes INTEGER, bundled INTEGER, metrics TEXT, settings TEXT, process TEXT);
CREATE TABLE marks(run TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', tags TEXT NOT NULL DEFAULT '[]',
                   notes TEXT NOT NULL DEFAULT '', starred INTEGER NOT NULL DEFAULT 0,
                   trashed INTEGER NOT NULL DEFAULT 0);
)"};

json numbersJson(const std::map<std::string, double>& values) {
    json out = json::object();
    for (const auto& [key, value] : values) {
        if (std::isfinite(value))
            out[key] = value;
        else
            out[key] = std::isnan(value) ? "nan" : value > 0 ? "inf" : "-inf";
    }
    return out;
}

std::map<std::string, double> numbersOf(const std::string& text) {
    std::map<std::string, double> out;
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) return out;
    for (const auto& [key, value] : object.items()) {
        if (value.is_number()) out[key] = value.get<double>();
        if (value.is_string()) out[key] = std::strtod(value.get_ref<const std::string&>().c_str(), nullptr);
    }
    return out;
}

std::map<std::string, std::string> textsOf(const std::string& text) {
    std::map<std::string, std::string> out;
    const json object = json::parse(text, nullptr, false);
    if (!object.is_object()) return out;
    for (const auto& [key, value] : object.items())
        out[key] = value.is_string() ? value.get<std::string>() : value.dump();
    return out;
}

std::vector<std::string> listOf(const std::string& text) {
    std::vector<std::string> out;
    const json array = json::parse(text, nullptr, false);
    if (!array.is_array()) return out;
    for (const auto& value : array)
        if (value.is_string()) out.push_back(value.get<std::string>());
    return out;
}

template <class Number>
Number numberOr(const std::map<std::string, std::string>& values, const char* key, Number fallback) {
    const auto found = values.find(key);
    if (found == values.end()) return fallback;
    std::from_chars(found->second.data(), found->second.data() + found->second.size(), fallback);
    return fallback;
}

std::string textOr(const std::map<std::string, std::string>& values, const char* key) {
    const auto found = values.find(key);
    return found == values.end() ? std::string() : found->second;
}

/// Size and time of run.db and its log: any write changes one of them, and a reader that leaves an empty log
/// behind does not. Empty if there is no run.db.
std::string stampOf(const std::filesystem::path& runFolder) {
    std::string stamp;
    for (const char* name : {"run.db", "run.db-wal"}) {
        struct stat info {};
        const bool there = ::stat((runFolder / name).c_str(), &info) == 0;
        if (there && info.st_size > 0)
            stamp += fmt::format("{}:{}.{};", info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec);
        else if (stamp.empty() && !there)
            return {};
    }
    return stamp;
}

std::int64_t bytesIn(const std::filesystem::path& folder) {
    std::int64_t bytes = 0;
    std::error_code code;
    for (std::filesystem::recursive_directory_iterator it(folder, code), end; it != end; it.increment(code)) {
        if (code) break;
        std::error_code gone;  // files come and go while a run is being written
        const auto size = it->is_regular_file(gone) ? it->file_size(gone) : 0;
        if (!gone) bytes += static_cast<std::int64_t>(size);
    }
    return bytes;
}

/// What the index keeps of a run: the summary as shown and what its state is judged by.
struct Entry {
    RunSummary summary;
    std::string stamp;
    std::string runName, runState, runReason;    ///< as the run itself says
    std::map<std::string, std::string> process;  ///< its identity and heartbeat_wall

    [[nodiscard]] bool finished() const {
        return runState == "completed" || runState == "cancelled" || runState == "failed" ||
               runState == "damaged";
    }
    /// Judges the state anew; true if it changed.
    bool judge();
};

bool Entry::judge() {
    const auto before = std::make_pair(summary.state, summary.reason);
    summary.state = runState;
    summary.reason = runReason;
    if (!finished()) {
        const auto identity = detail::ProcessIdentity::fromValues(process);
        const double heartbeat = numberOr(process, "heartbeat_wall", summary.started);
        const auto state = detail::stateOf(identity);
        if (state == ProcessState::Gone) {
            summary.state = "crashed";
            summary.reason =
                fmt::format("process {} is gone; last sign of life {}", identity.pid, utcText(heartbeat));
        } else if (state == ProcessState::Unknown && wallSeconds() - heartbeat > kLostAfterSeconds) {
            summary.state = "lost_contact";
            summary.reason =
                fmt::format("no sign of life from {} since {}",
                            identity.host.empty() ? "its machine" : identity.host, utcText(heartbeat));
        }
    }
    return before != std::make_pair(summary.state, summary.reason);
}

Entry readEntry(const std::filesystem::path& folder, std::string stamp) {
    Entry entry;
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
        run.metrics = (*reader)->lastValues();
        run.step = std::max((*reader)->lastStep(), numberOr<std::int64_t>(values, "heartbeat_step", 0));
        status = (*reader)->lastError();
    }
    entry.runName = textOr(values, "name").empty() ? run.id : textOr(values, "name");
    run.family = textOr(values, "family");
    run.task = textOr(values, "task");
    run.parent = textOr(values, "parent");
    run.configHash = textOr(values, "config_hash");
    run.settings = textsOf(textOr(values, "settings"));
    run.totalSteps = numberOr<std::int64_t>(values, "total_steps", 0);
    run.started = numberOr(values, "started", 0.0);
    run.ended = numberOr(values, "ended", 0.0);
    entry.runState = status ? textOr(values, "state") : "damaged";
    entry.runReason = status ? textOr(values, "reason") : status.error().message;
    for (const char* key : {"pid", "pid_started", "host", "boot_id", "pid_namespace", "heartbeat_wall"})
        if (values.contains(key)) entry.process[key] = values[key];
    entry.judge();
    return entry;
}

}  // namespace

struct ProjectIndex::Impl {
    std::filesystem::path folder, runsFolder;
    std::unique_ptr<Database> db;
    bool inMemory = false;
    std::int64_t version = -1;  ///< data_version that `entries` stands for
    std::map<std::string, Entry> entries;

    [[nodiscard]] std::filesystem::path file() const { return folder / "index.db"; }
    Status open();
    void load();
    void loadIfChanged();
    void store(const Entry& entry);
    std::vector<std::string> readChanged();
    void applyMarks();
    Status setMark(const std::string& id, const char* column, const std::string& value);

    template <class Work>
    Status guarded(Work work) {
        try {
            work();
            return {};
        } catch (const SqliteFailure& failure) {
            return detail::toError(failure, file());
        }
    }
};

Status ProjectIndex::Impl::open() {
    inMemory = ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0;
    Status migrated;
    KURVE_CHECKED(guarded([&] {
        db = std::make_unique<Database>(inMemory ? ":memory:" : file(), detail::Access::Write);
        if (!inMemory && db->version() <= static_cast<int>(std::size(kSchema)))
            db->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
        migrated = detail::migrate(*db, file(), kSchema);
        if (migrated) load();
    }));
    return migrated;
}

void ProjectIndex::Impl::load() {
    entries.clear();
    Statement row = db->prepare(
        "SELECT id, stamp, name, family, state, reason, task, step, total_steps, started, ended, parent, "
        "config_hash, "
        "bytes, bundled, metrics, settings, process FROM runs");
    row.each([&] {
        Entry entry;
        RunSummary& run = entry.summary;
        run.id = row.text(0);
        entry.stamp = row.text(1);
        entry.runName = row.text(2);
        run.family = row.text(3);
        run.state = row.text(4);
        run.reason = row.text(5);
        run.task = row.text(6);
        run.step = row.integer(7);
        run.totalSteps = row.integer(8);
        run.started = row.real(9);
        run.ended = row.real(10);
        run.parent = row.text(11);
        run.configHash = row.text(12);
        run.bytes = row.integer(13);
        run.bundled = row.integer(14) != 0;
        run.metrics = numbersOf(row.text(15));
        run.settings = textsOf(row.text(16));
        entry.process = textsOf(row.text(17));
        entry.runState = textOr(entry.process, "state");
        entry.runReason = textOr(entry.process, "reason");
        entries.emplace(run.id, std::move(entry));
    });
    applyMarks();
    version = db->integer("PRAGMA data_version");
}

void ProjectIndex::Impl::loadIfChanged() {
    if (db->integer("PRAGMA data_version") != version) load();
}

void ProjectIndex::Impl::applyMarks() {
    for (auto& [id, entry] : entries) entry.summary.name = entry.runName;
    Statement row = db->prepare("SELECT run, name, tags, notes, starred, trashed FROM marks");
    row.each([&] {
        const auto found = entries.find(row.text(0));
        if (found == entries.end()) return;
        RunSummary& run = found->second.summary;
        if (const auto name = row.text(1); !name.empty()) run.name = name;
        run.tags = listOf(row.text(2));
        run.notes = row.text(3);
        run.starred = row.integer(4) != 0;
        run.trashed = row.integer(5) != 0;
    });
}

void ProjectIndex::Impl::store(const Entry& entry) {
    const RunSummary& run = entry.summary;
    json process(entry.process);
    process["state"] = entry.runState;
    process["reason"] = entry.runReason;
    const auto text = [](const json& value) {
        return value.dump(-1, ' ', false, json::error_handler_t::replace);
    };
    db->prepare(
          "INSERT OR REPLACE INTO runs VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
          "?15, ?16, "
          "?17, ?18)")
        .run(run.id, entry.stamp, entry.runName, run.family, run.state, run.reason, run.task, run.step,
             run.totalSteps, run.started, run.ended, run.parent, run.configHash, run.bytes, run.bundled,
             text(numbersJson(run.metrics)), text(run.settings), text(process));
}

std::vector<std::string> ProjectIndex::Impl::readChanged() {
    std::vector<std::string> changed;
    std::set<std::string> present;
    std::error_code code;
    for (const auto& item : std::filesystem::directory_iterator(runsFolder, code)) {
        const std::string id = item.path().filename().string();
        std::string stamp = stampOf(item.path());
        if (stamp.empty()) continue;
        present.insert(id);
        auto found = entries.find(id);
        if (found == entries.end() || found->second.stamp != stamp)
            entries[id] = readEntry(item.path(), std::move(stamp));
        else if (found->second.finished() || !found->second.judge())
            continue;
        changed.push_back(id);
    }
    for (auto it = entries.begin(); it != entries.end();) {
        if (present.contains(it->first)) {
            ++it;
            continue;
        }
        changed.push_back(it->first);
        it = entries.erase(it);
    }
    return changed;
}

Status ProjectIndex::Impl::setMark(const std::string& id, const char* column, const std::string& value) {
    if (inMemory)
        return workError("io.write", "the project may only be read")
            .in(folder.string())
            .fix("copy it to a folder of yours");
    if (!entries.contains(id))
        return requestError("store.missing", "there is no run '" + id + "'").in(folder.string());
    return guarded([&] {
        detail::Transaction transaction(*db);
        db->prepare("INSERT OR IGNORE INTO marks(run) VALUES(?1)").run(id);
        db->prepare(fmt::format("UPDATE marks SET {} = ?2 WHERE run = ?1", column)).run(id, value);
        transaction.commit();
        applyMarks();
    });
}

ProjectIndex::ProjectIndex() : impl_(std::make_unique<Impl>()) {}
ProjectIndex::~ProjectIndex() = default;

Result<std::unique_ptr<ProjectIndex>> ProjectIndex::open(const Project& project) {
    std::unique_ptr<ProjectIndex> index(new ProjectIndex);
    index->impl_->folder = project.folder();
    index->impl_->runsFolder = project.runsFolder();
    if (Status opened = index->impl_->open(); !opened) {
        if (opened.error().code == "store.damaged")
            opened.error().remedy = "`kurve verify --repair` builds it again";
        return opened.error();
    }
    return index;
}

Result<std::vector<std::string>> ProjectIndex::refresh() {
    std::vector<std::string> changed;
    KURVE_CHECKED(impl_->guarded([&] {
        impl_->loadIfChanged();
        changed = impl_->readChanged();
        if (changed.empty()) return;
        detail::Transaction transaction(*impl_->db);
        for (const auto& id : changed) {
            const auto found = impl_->entries.find(id);
            if (found == impl_->entries.end())
                impl_->db->prepare("DELETE FROM runs WHERE id = ?1").run(id);
            else
                impl_->store(found->second);
        }
        transaction.commit();
        impl_->applyMarks();
    }));
    return changed;
}

Result<std::vector<RunSummary>> ProjectIndex::runs() const {
    KURVE_CHECKED(impl_->guarded([&] { impl_->loadIfChanged(); }));
    std::vector<RunSummary> runs;
    runs.reserve(impl_->entries.size());
    for (const auto& [id, entry] : impl_->entries) runs.push_back(entry.summary);
    return runs;
}

Status ProjectIndex::setName(const std::string& id, const std::string& name) {
    return impl_->setMark(id, "name", name);
}
Status ProjectIndex::setTags(const std::string& id, const std::vector<std::string>& tags) {
    return impl_->setMark(id, "tags", json(tags).dump(-1, ' ', false, json::error_handler_t::replace));
}
Status ProjectIndex::setNotes(const std::string& id, const std::string& notes) {
    return impl_->setMark(id, "notes", notes);
}
Status ProjectIndex::setStarred(const std::string& id, bool on) {
    return impl_->setMark(id, "starred", on ? "1" : "0");
}
Status ProjectIndex::setTrashed(const std::string& id, bool on) {
    return impl_->setMark(id, "trashed", on ? "1" : "0");
}

Status ProjectIndex::rebuild() {
    KURVE_CHECKED(impl_->guarded([&] {
        impl_->db->execute("DELETE FROM runs");
        impl_->entries.clear();
    }));
    if (const auto changed = refresh(); !changed) return changed.error();
    return {};
}

Status ProjectIndex::repair(const Project& project) {
    const auto file = project.folder() / "index.db";
    auto index = open(project);
    if (!index && index.error().code == "store.damaged") {
        std::error_code code;
        for (const char* suffix : {"", "-wal", "-shm"})
            std::filesystem::rename(file.string() + suffix, file.string() + ".damaged" + suffix, code);
        index = open(project);
    }
    if (!index) return index.error();
    return (*index)->rebuild();
}

}  // namespace kurve::store
