#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

#include "core/store/detail/extremes_reader.h"
#include "core/store/detail/index_location.h"
#include "core/store/detail/run_entry.h"
#include "core/store/detail/sqlite.h"
#include "core/store/project.h"

namespace kurve::store {
namespace {

using detail::Database;
using detail::RunEntry;
using detail::SqliteFailure;
using detail::Statement;
using detail::textOr;
using detail::textsOf;
using nlohmann::json;

/// Table runs: what was read from runs/<id>/run.db, to be dropped at will. Table marks: what people said.
const std::string kSchema[] = {R"(
CREATE TABLE runs(id TEXT PRIMARY KEY, stamp TEXT NOT NULL, name TEXT, family TEXT, state TEXT, reason TEXT, task TEXT,
                  step INTEGER, total_steps INTEGER, started REAL, ended REAL, parent TEXT, config_hash TEXT,
                  bytes INTEGER, bundled INTEGER, metrics TEXT, settings TEXT, process TEXT);
CREATE TABLE marks(run TEXT PRIMARY KEY, name TEXT NOT NULL DEFAULT '', tags TEXT NOT NULL DEFAULT '[]',
                   notes TEXT NOT NULL DEFAULT '', starred INTEGER NOT NULL DEFAULT 0,
                   trashed INTEGER NOT NULL DEFAULT 0);
)",
                               "ALTER TABLE runs ADD COLUMN extremes BLOB;"};

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

std::vector<std::string> listOf(const std::string& text) {
    std::vector<std::string> out;
    const json array = json::parse(text, nullptr, false);
    if (!array.is_array()) return out;
    for (const auto& value : array)
        if (value.is_string()) out.push_back(value.get<std::string>());
    return out;
}

}  // namespace

struct ProjectIndex::Impl {
    std::filesystem::path folder, runsFolder;
    detail::IndexLocation location;
    std::unique_ptr<Database> db;
    std::int64_t version = -1;  ///< data_version that `entries` stands for
    std::map<std::string, RunEntry> entries;

    [[nodiscard]] bool inMemory() const { return location.file.empty(); }
    [[nodiscard]] std::filesystem::path file() const {
        return inMemory() ? folder / "index.db" : location.file;
    }
    Status open();
    void takeMarks();
    void load();
    void loadIfChanged();
    void store(const RunEntry& entry);
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
    Status migrated;
    KURVE_CHECKED(guarded([&] {
        db = std::make_unique<Database>(inMemory() ? ":memory:" : file(), detail::Access::Write);
        const bool isNew = db->version() == 0;
        if (!inMemory() && db->version() <= static_cast<int>(std::size(kSchema)))
            db->execute("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
        migrated = detail::migrate(*db, file(), kSchema);
        if (migrated && isNew && location.takesMarks) takeMarks();
        if (migrated) load();
    }));
    return migrated;
}

// What was said about the runs before, or on the machine whose disk it is. Nobody may write there from here:
// the file is read as it lies.
void ProjectIndex::Impl::takeMarks() {
    std::error_code ignored;
    const auto theirs = folder / "index.db";
    if (!std::filesystem::is_regular_file(theirs, ignored)) return;
    try {
        Database old(theirs, detail::Access::Immutable);
        Statement row = old.prepare("SELECT run, name, tags, notes, starred, trashed FROM marks");
        detail::Transaction transaction(*db);
        Statement insert = db->prepare("INSERT INTO marks VALUES(?1, ?2, ?3, ?4, ?5, ?6)");
        row.each([&] {
            insert.run(row.text(0), row.text(1), row.text(2), row.text(3), row.integer(4), row.integer(5));
        });
        transaction.commit();
    } catch (const SqliteFailure& failure) {
        location.notice += fmt::format(
            " The names, tags, notes and stars of its index.db could not be read: {}.", failure.what());
    }
}

void ProjectIndex::Impl::load() {
    entries.clear();
    Statement row = db->prepare(
        "SELECT id, stamp, name, family, state, reason, task, step, total_steps, started, ended, parent, "
        "config_hash, "
        "bytes, bundled, metrics, settings, process, extremes FROM runs");
    row.each([&] {
        RunEntry entry;
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
        if (const auto bytes = row.blob(18); !bytes.empty())
            run.extremes = std::make_shared<const RunExtremes>(detail::unpacked(bytes));
        entry.takeOrigin();
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

void ProjectIndex::Impl::store(const RunEntry& entry) {
    const RunSummary& run = entry.summary;
    json process(entry.process);
    process["state"] = entry.runState;
    process["reason"] = entry.runReason;
    const auto extremes = run.extremes ? detail::packed(*run.extremes) : std::vector<std::byte>();
    const auto text = [](const json& value) {
        return value.dump(-1, ' ', false, json::error_handler_t::replace);
    };
    db->prepare(
          "INSERT OR REPLACE INTO runs VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, "
          "?15, ?16, "
          "?17, ?18, ?19)")
        .run(run.id, entry.stamp, entry.runName, run.family, run.state, run.reason, run.task, run.step,
             run.totalSteps, run.started, run.ended, run.parent, run.configHash, run.bytes, run.bundled,
             text(numbersJson(run.metrics)), text(run.settings), text(process),
             std::span<const std::byte>(extremes));
}

std::vector<std::string> ProjectIndex::Impl::readChanged() {
    std::vector<std::string> changed;
    std::set<std::string> present;
    std::error_code code;
    for (const auto& item : std::filesystem::directory_iterator(runsFolder, code)) {
        const std::string id = item.path().filename().string();
        std::string stamp = detail::stampOf(item.path());
        if (stamp.empty()) continue;
        present.insert(id);
        auto found = entries.find(id);
        if (found == entries.end() || found->second.stamp != stamp)
            entries[id] = detail::readRunEntry(item.path(), std::move(stamp),
                                               found == entries.end() ? nullptr : &found->second);
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
    if (inMemory()) return location.refusal;
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

std::filesystem::path ProjectIndex::fileOf(const Project& project, const IndexPlace& place) {
    return detail::locateIndex(project.folder(), place).file;
}

const std::string& ProjectIndex::notice() const {
    return impl_->location.notice;
}

Result<std::unique_ptr<ProjectIndex>> ProjectIndex::open(const Project& project, const IndexPlace& place) {
    std::unique_ptr<ProjectIndex> index(new ProjectIndex);
    index->impl_->folder = project.folder();
    index->impl_->runsFolder = project.runsFolder();
    index->impl_->location = detail::locateIndex(project.folder(), place);
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

Status ProjectIndex::repair(const Project& project, const IndexPlace& place) {
    const auto file = fileOf(project, place);
    auto index = open(project, place);
    if (!index && index.error().code == "store.damaged") {
        std::error_code code;
        for (const char* suffix : {"", "-wal", "-shm"})
            std::filesystem::rename(file.string() + suffix, file.string() + ".damaged" + suffix, code);
        index = open(project, place);
    }
    if (!index) return index.error();
    return (*index)->rebuild();
}

}  // namespace kurve::store
